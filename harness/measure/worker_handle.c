/* SPDX-License-Identifier: Apache-2.0 */
/* worker_handle: what a worker printed before its end (an LLVM error, a failed assertion, the address of a fault) tells
 * most about it, so its log becomes part of the message. */
#include "harness/measure/worker_handle.h"

#include "harness/base/clock.h"

#include <ctype.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define READY_SECONDS 120.0 /* opening a target may measure the machine's peak */
#define GRACE_SECONDS 2.0
enum { START_TRIES = 3 };

static void log_read(const struct worker_handle *h, char *out, size_t n)
{
    ssize_t got = h->child.log < 0 ? 0 : pread(h->child.log, out, n - 1, 0);
    out[got < 0 ? 0 : got] = 0;
}

static bool is_error(const char *line)
{
    static const char *const WORDS[] = {"error", "assert", "out of memory", "defect", "bad_alloc"};
    for (int i = 0; i < 5; i++)
        if (strcasestr(line, WORDS[i]))
            return true;
    return false;
}

/* The line of the log that tells why: that of our own fault handler, else the first about an error, else the last. ""
 * if there is none. */
static void log_reason(const struct worker_handle *h, char *out, size_t n)
{
    char log[1 << 14], *save = NULL;
    const char *best = "";
    int rank = 0;
    log_read(h, log, sizeof log);
    for (char *line = strtok_r(log, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
        int r = str_starts(line, "fault: ") ? 3 : is_error(line) ? 2 : 1;
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

/* *ended: the worker ended without a word; another one may live. */
static bool wait_ready(struct worker_handle *h, struct limits *limits, bool *ended, struct err *err)
{
    struct packet p = {0};
    int kind = -1;
    h->asked = 0;
    enum channel_status status = worker_handle_answer(h, &kind, &p, clock_now() + READY_SECONDS);
    bool ok = status == CHANNEL_OK && kind == MESSAGE_READY;
    *ended = status == CHANNEL_CLOSED;
    if (!ok) {
        char reason[160];
        log_reason(h, reason, sizeof reason);
        err->code = EXIT_INTERNAL;
        err_set(err, "each of several workers ended before it was ready%s%s", *reason ? ": " : "", reason);
    } else if ((err->code = (enum exit_code)packet_get_int(&p)) != EXIT_FINE) {
        ok = err_set(err, "%s", packet_get_str(&p));
    } else {
        size_t n;
        packet_get_str(&p);
        const void *l = packet_get_bytes(&p, &n);
        if (limits && l && n == sizeof *limits)
            memcpy(limits, l, n);
        h->apart = packet_get_int(&p) != 0;
    }
    packet_free(&p);
    return ok;
}

bool worker_handle_start(struct worker_handle *h, struct fork_server *fs, struct limits *limits, struct err *err)
{
    bool ended = true;
    h->jobs = 0;
    for (int i = 0; i < START_TRIES && ended; i++) {
        *err = (struct err){0};
        if (!fork_server_spawn(fs, h->kind, &h->child, err)) {
            err->code = EXIT_INTERNAL;
            return false;
        }
        if (wait_ready(h, limits, &ended, err))
            return true;
        worker_handle_stop(h, fs);
    }
    return false;
}

enum channel_status worker_handle_ask(struct worker_handle *h, int kind, struct packet *p, double deadline)
{
    if (getrandom(&h->asked, sizeof h->asked, 0) != (ssize_t)sizeof h->asked)
        h->asked = h->asked * 6364136223846793005U + 1;
    p->number = h->asked;
    return channel_send(h->child.fd, kind, p, deadline);
}

enum channel_status worker_handle_answer(struct worker_handle *h, int *kind, struct packet *p, double deadline)
{
    int ready = channel_wait((int[2]){h->child.fd, h->child.end}, 2, deadline);
    if (ready < 0)
        return CHANNEL_LATE;
    if (ready == 1 && !worker_handle_spoke(h)) /* it may have answered before it ended */
        return CHANNEL_CLOSED;
    enum channel_status status = channel_receive(h->child.fd, kind, p, deadline);
    return status == CHANNEL_OK && p->number != h->asked ? CHANNEL_FORGED : status;
}

bool worker_handle_spoke(const struct worker_handle *h)
{
    char byte;
    return recv(h->child.fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) > 0;
}

bool worker_handle_fit(const struct worker_handle *h)
{
    return worker_handle_alive(h) && h->jobs < WORKER_JOBS_MAX &&
           channel_wait((int[2]){h->child.fd, h->child.end}, 2, 0) < 0;
}

static void log_close(struct worker_handle *h)
{
    if (h->child.log >= 0)
        close(h->child.log);
    h->child.log = -1;
}

void worker_handle_stop(struct worker_handle *h, struct fork_server *fs)
{
    if (worker_handle_alive(h)) {
        fork_server_reap(fs, &h->child, 0);
        log_close(h);
    }
}

static bool is_out_of_memory(const struct worker_handle *h)
{
    char log[1 << 14];
    log_read(h, log, sizeof log);
    return strcasestr(log, "out of memory") || strcasestr(log, "out-of-memory") || strcasestr(log, "bad_alloc") ||
           strcasestr(log, "cannot allocate memory");
}

void worker_handle_collect(struct worker_handle *h, struct fork_server *fs, struct worker_end *end)
{
    char reason[120], how[64];
    struct worker_status status = fork_server_reap(fs, &h->child, GRACE_SECONDS);
    log_reason(h, reason, sizeof reason);
    end->out_of_memory = is_out_of_memory(h);
    if (status.status < 0 || status.killed) {
        snprintf(how, sizeof how, "closed its connection");
    } else if (WIFSIGNALED(status.status)) {
        int s = WTERMSIG(status.status);
        const char *name = sigabbrev_np(s);
        snprintf(how, sizeof how, "killed by signal %d (SIG%s)", s, name ? name : "?");
        if (s == SIGKILL) { /* not by us: the kernel does that when memory runs out */
            end->out_of_memory = true;
            snprintf(how, sizeof how, "killed by the system (SIGKILL), short of memory");
        }
    } else {
        snprintf(how, sizeof how, "ended with status %d", WEXITSTATUS(status.status));
    }
    snprintf(end->text, sizeof end->text, "%s%s%s", how, *reason ? ": " : "", reason);
    log_close(h);
}
