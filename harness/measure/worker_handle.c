/* SPDX-License-Identifier: Apache-2.0 */
/* worker_handle: hiring and burying. What a worker printed before its end (an LLVM error, a failed assertion, the
 * address of a fault) is the best part of the message, so its log is read. */
#include "harness/measure/worker_handle.h"

#include "harness/base/clock.h"

#include <ctype.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define HELLO_SECONDS 120.0 /* opening a target may measure the machine's peak */
#define GRACE_SECONDS 2.0

static size_t log_read(const struct worker_handle *m, char *out, size_t n)
{
    ssize_t got = m->child.log < 0 ? 0 : pread(m->child.log, out, n - 1, 0);
    out[got < 0 ? 0 : got] = 0;
    return strlen(out);
}

static bool is_telling(const char *line)
{
    static const char *const WORDS[] = {"error", "assert", "out of memory", "defect", "bad_alloc"};
    for (int i = 0; i < 5; i++)
        if (strcasestr(line, WORDS[i]))
            return true;
    return false;
}

/* The line of our own fault handler, else the first that speaks of an error, else the last one. */
void worker_handle_last_words(const struct worker_handle *m, char *out, size_t n)
{
    char log[1 << 14], *save = NULL;
    const char *best = "";
    int rank = 0;
    log_read(m, log, sizeof log);
    for (char *line = strtok_r(log, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
        int r = str_starts(line, "fault: ") ? 3 : is_telling(line) ? 2 : 1;
        if (r > rank || (r == 1 && rank == 1)) {
            rank = r;
            best = rank == 3 ? line + strlen("fault: ") : line;
        }
    }
    snprintf(out, n, "%s", str_starts(best, "raingauge: ") ? best + strlen("raingauge: ") : best);
    for (char *c = out; *c; c++)
        if (!isprint((unsigned char)*c))
            *c = ' ';
}

static bool hello(struct worker_handle *m, struct limits *limits, struct err *err)
{
    struct packet p = {0};
    int kind = -1;
    bool ok =
        channel_receive(m->child.fd, &kind, &p, clock_now() + HELLO_SECONDS) == CHANNEL_OK && kind == MESSAGE_HELLO;
    if (!ok) {
        char words[160];
        worker_handle_last_words(m, words, sizeof words);
        err_set(err, "a worker ended before it was ready%s%s", *words ? ": " : "", words);
    } else if (!packet_get_int(&p)) {
        ok = err_set(err, "%s", packet_get_str(&p));
    } else {
        size_t n;
        packet_get_str(&p);
        const void *l = packet_get_bytes(&p, &n);
        if (limits && l && n == sizeof *limits)
            memcpy(limits, l, n);
    }
    packet_free(&p);
    return ok;
}

bool worker_handle_hire(struct worker_handle *m, struct fork_server *n, struct limits *limits, struct err *err)
{
    m->jobs = 0;
    if (!fork_server_spawn(n, m->kind, &m->child, err))
        return false;
    if (hello(m, limits, err))
        return true;
    worker_handle_dismiss(m, n);
    return false;
}

static void log_close(struct worker_handle *m)
{
    if (m->child.log >= 0)
        close(m->child.log);
    m->child.log = -1;
}

void worker_handle_dismiss(struct worker_handle *m, struct fork_server *n)
{
    if (worker_handle_alive(m)) {
        fork_server_reap(n, &m->child, 0);
        log_close(m);
    }
}

static bool speaks_of_memory(const struct worker_handle *m)
{
    char log[1 << 14];
    log_read(m, log, sizeof log);
    return strcasestr(log, "out of memory") || strcasestr(log, "out-of-memory") || strcasestr(log, "bad_alloc") ||
           strcasestr(log, "cannot allocate memory");
}

void worker_handle_bury(struct worker_handle *m, struct fork_server *n, struct obituary *o)
{
    char words[120], how[64];
    struct fork_server_end end = fork_server_reap(n, &m->child, GRACE_SECONDS);
    worker_handle_last_words(m, words, sizeof words);
    o->out_of_memory = speaks_of_memory(m);
    if (end.status < 0 || end.killed) {
        snprintf(how, sizeof how, "closed its connection");
    } else if (WIFSIGNALED(end.status)) {
        int s = WTERMSIG(end.status);
        const char *name = sigabbrev_np(s);
        snprintf(how, sizeof how, "killed by signal %d (SIG%s)", s, name ? name : "?");
        if (s == SIGKILL) { /* not by us: the kernel does that when memory runs out */
            o->out_of_memory = true;
            snprintf(how, sizeof how, "killed by the system (SIGKILL), short of memory");
        }
    } else {
        snprintf(how, sizeof how, "ended with status %d", WEXITSTATUS(end.status));
    }
    snprintf(o->text, sizeof o->text, "%s%s%s", how, *words ? ": " : "", words);
    log_close(m);
}
