/* SPDX-License-Identifier: Apache-2.0 */
/* emulator: the program goes into a file in memory, and qemu is started on it. The answer to a request is read at once,
 * so there is never more than one on its way. */
#include "targets/a64fx/emulator.h"

#include "targets/a64fx/protocol.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

struct emulator {
    pid_t process;
    int socket;
    int signal; /* that ended it */
    bool ended;
};

#ifdef HAVE_A64FX
#include "a64fx_program.h"
__asm__(".pushsection .rodata\n"
        ".global emulated_program, emulated_program_end\n"
        "emulated_program:\n"
        ".incbin \"" A64FX_PROGRAM "\"\n"
        "emulated_program_end:\n"
        ".popsection\n");
extern const char emulated_program[], emulated_program_end[];

static int program_file(void)
{
    size_t n = (size_t)(emulated_program_end - emulated_program);
    int file = memfd_create("raingauge-a64fx", 0);
    for (size_t done = 0; file >= 0 && done < n;) {
        ssize_t wrote = write(file, emulated_program + done, n - done);
        if (wrote <= 0) {
            close(file);
            return -1;
        }
        done += (size_t)wrote;
    }
    return file;
}
#else
static int program_file(void)
{
    errno = ENOSYS;
    return -1;
}
#endif

static void find_qemu(char *out, size_t n)
{
    static const char *const NAMES[] = {"qemu-aarch64", "qemu-aarch64-static"};
    const char *path = getenv("PATH");
    out[0] = 0;
    for (const char *p = path ? path : "/usr/bin"; *p && !out[0];) {
        int length = (int)strcspn(p, ":");
        for (int i = 0; i < 2 && !out[0]; i++)
            if (snprintf(out, n, "%.*s/%s", length, p, NAMES[i]) >= (int)n || access(out, X_OK) != 0)
                out[0] = 0;
        p += length + (p[length] == ':');
    }
}

/* In the child. Nothing here but system calls: the parent may have had threads. */
static void become_qemu(char *const *arguments, int socket)
{
    char *const environment[] = {NULL};
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
    if (dup2(socket, STDIN_FILENO) >= 0)
        execve(arguments[0], arguments, environment);
    _exit(127);
}

/* ---- the socket ---- */

/* The reason why it is gone. One that is not, but cannot be talked with, ends when its socket does. */
static bool gone(struct emulator *e, struct err *err)
{
    int status = 0;
    if (e->socket >= 0)
        close(e->socket);
    e->socket = -1;
    if (!e->ended && waitpid(e->process, &status, 0) == e->process && WIFSIGNALED(status))
        e->signal = WTERMSIG(status);
    e->ended = true;
    return e->signal
               ? err_set(err, "the emulated program was ended by signal %d (SIG%s)", e->signal, sigabbrev_np(e->signal))
               : err_set(err, "the emulated program has ended");
}

static bool put(struct emulator *e, const void *bytes, size_t n, struct err *err)
{
    for (size_t done = 0; done < n && !e->ended;) {
        ssize_t sent = send(e->socket, (const char *)bytes + done, n - done, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR)
            continue;
        if (sent <= 0)
            return gone(e, err);
        done += (size_t)sent;
    }
    return !e->ended || gone(e, err);
}

static bool get(struct emulator *e, void *bytes, size_t n, struct err *err)
{
    for (size_t done = 0; done < n && !e->ended;) {
        ssize_t got = read(e->socket, (char *)bytes + done, n - done);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return gone(e, err);
        done += (size_t)got;
    }
    return !e->ended || gone(e, err);
}

static bool answered(struct emulator *e, struct err *err)
{
    struct emulated_answer a = {{0}};
    if (!get(e, &a, sizeof a, err))
        return false;
    return !a.text[0] || err_set(err, "%.*s", EMULATED_TEXT - 1, a.text);
}

/* ---- the face ---- */

static bool greeted(struct emulator *e, struct err *err)
{
    struct emulated_greeting g;
    return get(e, &g, sizeof g, err) &&
           (g.vector_bytes == A64FX_VECTOR_BYTES ||
            err_set(err, "the emulated processor has scalable vectors of %d bits, an A64FX of 512",
                    (int)(8 * g.vector_bytes)));
}

static bool start(struct emulator *e, char *qemu, struct err *err)
{
    char option[] = "-cpu", processor[] = "a64fx", program[32];
    char *const arguments[] = {qemu, option, processor, program, NULL};
    int ends[2], file = program_file();
    if (file < 0 || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
        err_set(err, "no file or socket for an emulated program: %s", strerror(errno));
        if (file >= 0)
            close(file);
        return false;
    }
    snprintf(program, sizeof program, "/proc/self/fd/%d", file);
    e->socket = ends[0];
    e->process = fork();
    if (e->process == 0)
        become_qemu(arguments, ends[1]);
    close(file);
    close(ends[1]);
    return e->process > 0 ? greeted(e, err) : err_set(err, "cannot start %s: %s", qemu, strerror(errno));
}

bool emulator_open(struct emulator **out, struct err *err)
{
    char qemu[4096];
    find_qemu(qemu, sizeof qemu);
#ifndef HAVE_A64FX
    return err_set(err, "built without a compiler for AArch64 (Debian: gcc-aarch64-linux-gnu, libc6-dev-arm64-cross)");
#endif
    if (!qemu[0])
        return err_set(err, "no qemu-aarch64 in PATH (Debian: qemu-user)");
    struct emulator *e = calloc(1, sizeof *e);
    e->socket = -1;
    if (!start(e, qemu, err)) {
        err_context(err, "%s", qemu);
        emulator_close(e);
        return false;
    }
    *out = e;
    return true;
}

void emulator_close(struct emulator *e)
{
    if (!e)
        return;
    if (e->socket >= 0)
        close(e->socket); /* it ends when it reads the end of requests */
    if (e->process > 0 && !e->ended) {
        kill(e->process, SIGKILL);
        waitpid(e->process, NULL, 0);
    }
    free(e);
}

bool emulator_load(struct emulator *e, const void *object, size_t n, const struct kernel_scratch *k, int threads,
                   struct err *err)
{
    struct emulated_request q = {.kind = EMULATED_LOAD,
                                 .object_bytes = (int64_t)n,
                                 .shared_bytes = k->shared_bytes,
                                 .thread_bytes = k->thread_bytes,
                                 .threads = threads};
    return put(e, &q, sizeof q, err) && put(e, object, n, err) && answered(e, err);
}

bool emulator_run(struct emulator *e, const struct emulated_call *c, struct err *err)
{
    struct emulated_request q = {.kind = EMULATED_RUN, .number = c->number, .nargs = c->nargs};
    if (c->nargs < 1 || c->nargs > EMULATED_ARGS)
        return err_set(err, "a kernel of %d arguments, at most %d are emulated", c->nargs, EMULATED_ARGS);
    for (int i = 0; i < c->nargs; i++)
        q.arg_bytes[i] = c->arg_bytes[i];
    bool fine = put(e, &q, sizeof q, err);
    for (int i = 0; i < c->nargs && fine; i++)
        fine = put(e, c->args[i], (size_t)c->arg_bytes[i], err);
    int out = c->nargs - 1;
    return fine && answered(e, err) && get(e, c->args[out], (size_t)c->arg_bytes[out], err);
}

bool emulator_runs(const struct emulator *e)
{
    return !e->ended;
}

int emulator_signal(const struct emulator *e)
{
    return e->signal;
}
