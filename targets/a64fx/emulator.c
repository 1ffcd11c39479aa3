/* SPDX-License-Identifier: Apache-2.0 */
/* emulator: the program goes into a file in memory, and qemu is started on it. The answer to a request is read at once,
 * so there is never more than one on its way. */
#include "targets/a64fx/emulator.h"

#include "harness/base/process.h"
#include "targets/a64fx/protocol.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

struct emulator {
    struct process process;
    int socket;
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
    int file = memfd_create("raingauge-a64fx", MFD_CLOEXEC);
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

/* ---- the socket ---- */

/* The reason why it is gone. One that is not, but cannot be talked with, ends when its socket does. */
static bool gone(struct emulator *e, struct err *err)
{
    if (e->socket >= 0)
        close(e->socket);
    e->socket = -1;
    process_wait(&e->process, INFINITY);
    if (process_fine(&e->process, err))
        err_set(err, "it has ended");
    return err_context(err, "the emulated program");
}

static bool put(struct emulator *e, const void *bytes, size_t n, struct err *err)
{
    for (size_t done = 0; done < n && emulator_runs(e);) {
        ssize_t sent = send(e->socket, (const char *)bytes + done, n - done, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR)
            continue;
        if (sent <= 0)
            return gone(e, err);
        done += (size_t)sent;
    }
    return emulator_runs(e) || gone(e, err);
}

static bool get(struct emulator *e, void *bytes, size_t n, struct err *err)
{
    for (size_t done = 0; done < n && emulator_runs(e);) {
        ssize_t got = read(e->socket, (char *)bytes + done, n - done);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return gone(e, err);
        done += (size_t)got;
    }
    return emulator_runs(e) || gone(e, err);
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

static bool start(struct emulator *e, int file, int socket, struct err *err)
{
    const char *words[] = {"qemu-aarch64-static", "-cpu", "a64fx", "/proc/self/fd/3", NULL};
    char *const environment[] = {NULL};
    const struct process_spec qemu = {.argv = words,
                                      .environment = environment,
                                      .in = socket,
                                      .out = STDOUT_FILENO,
                                      .err = STDERR_FILENO,
                                      .also = file};
    if (process_start(&qemu, &e->process, err))
        return true;
    words[0] = "qemu-aarch64";
    return process_start(&qemu, &e->process, err) ||
           (e->process.code == ENOENT && err_set(err, "no qemu-aarch64 in PATH (Debian: qemu-user)"));
}

bool emulator_open(struct emulator **out, struct err *err)
{
#ifndef HAVE_A64FX
    return err_set(err, "built without a compiler for AArch64 (Debian: gcc-aarch64-linux-gnu, libc6-dev-arm64-cross)");
#endif
    struct emulator *e = calloc(1, sizeof *e);
    if (!e)
        return err_set(err, "out of memory");
    int ends[2] = {-1, -1}, file = program_file();
    bool fine = (file >= 0 && socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0) ||
                err_set(err, "no file or socket for an emulated program: %s", strerror(errno));
    e->socket = ends[0];
    fine = fine && start(e, file, ends[1], err);
    if (file >= 0)
        close(file);
    if (ends[1] >= 0)
        close(ends[1]);
    if (fine && greeted(e, err)) {
        *out = e;
        return true;
    }
    emulator_close(e);
    return false;
}

void emulator_close(struct emulator *e)
{
    if (!e)
        return;
    if (e->socket >= 0)
        close(e->socket); /* it ends when it reads the end of requests */
    process_close(&e->process);
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
    return e->process.state == PROCESS_RUNS;
}

int emulator_signal(const struct emulator *e)
{
    return e->process.state == PROCESS_SIGNALLED ? e->process.code : 0;
}
