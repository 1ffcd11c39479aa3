/* SPDX-License-Identifier: Apache-2.0 */
/* link: a connection is an ssh that runs `raingauge serve`, whose standard input and output are the channel. */
#include "harness/measure/remote/link.h"

#include "harness/base/clock.h"
#include "harness/base/log.h"
#include "harness/measure/remote/install.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define START_SECONDS 120.0 /* until the program there has said that it runs */
#define OPEN_SECONDS 900.0  /* until its workers are ready */
#define FIRST_PAUSE 1.0
#define LONGEST_PAUSE 60.0
enum { GREETING_MOST = 1 << 16 };

/* ---- making a connection ---- */

/* Reads up to the mark. What stands before it is the login shell's. */
static enum channel_status find_mark(struct link *l, char *seen, size_t n, double deadline)
{
    static const char mark[] = WIRE_MARK;
    const size_t whole = sizeof mark - 1;
    size_t same = 1, kept = 0; /* the line end before the mark may be that of nothing */
    seen[0] = 0;
    for (int i = 0; i < GREETING_MOST; i++) {
        char byte;
        enum channel_status status = channel_take(l->ssh.fd, &byte, 1, deadline);
        if (status != CHANNEL_OK)
            return status;
        same = byte == mark[same] ? same + 1 : byte == mark[0] ? 1 : 0;
        if (same == whole)
            return CHANNEL_OK;
        if (kept + 1 < n && isprint((unsigned char)byte))
            seen[kept++] = byte;
        seen[kept] = 0;
    }
    return CHANNEL_FORGED;
}

static bool not_ours(struct link *l, const char *what, struct err *err)
{
    err->code = EXIT_INVALID;
    return err_set(err, "'%s': %s", l->host->name, what);
}

static bool closed(struct link *l, struct err *err)
{
    char reason[400];
    ssh_reason(&l->ssh, reason, sizeof reason);
    const char *more = strstr(reason, "GLIBC_") ? "; the C library there is older than the program needs" : "";
    return err_set(err, "'%s': %s%s", l->host->name, reason, more) || err_environment(err);
}

/* *fatal: trying again would not help. */
static bool greet(struct link *l, bool *fatal, struct err *err)
{
    char seen[80], what[160];
    int kind = -1;
    double deadline = clock_now() + START_SECONDS;
    enum channel_status status = find_mark(l, seen, sizeof seen, deadline);
    if (status == CHANNEL_OK)
        status = channel_receive(l->ssh.fd, &kind, &l->packet, deadline);
    if (status == CHANNEL_CLOSED)
        return closed(l, err);
    if (status == CHANNEL_LATE)
        return err_set(err, "'%s': the program there did not answer within %g s", l->host->name, START_SECONDS) ||
               err_environment(err);
    *fatal = true;
    snprintf(what, sizeof what, "its answer is none of raingauge%s%s%s", *seen ? ": '" : "", seen, *seen ? "'" : "");
    if (status != CHANNEL_OK || kind != WIRE_HELLO)
        return not_ours(l, what, err);
    const char *theirs = packet_get_str(&l->packet);
    if (l->packet.broken)
        return not_ours(l, what, err);
    if (str_eq(theirs, l->host->identity))
        return true;
    err->code = EXIT_USAGE;
    return err_set(err, "'%s' runs %.100s, this is %.100s: both ends must be the same program (`make bundle`)",
                   l->host->name, theirs, l->host->identity);
}

static bool same_limits(const struct limits *a, const struct limits *b)
{
    return a->cores == b->cores && a->vector_bytes == b->vector_bytes && a->cache_line == b->cache_line &&
           a->shared_bytes == b->shared_bytes && a->local_bytes == b->local_bytes &&
           a->threads_per_block == b->threads_per_block && a->vthread_extent == b->vthread_extent &&
           a->warp_size == b->warp_size && a->is_gpu == b->is_gpu;
}

static bool read_opened(struct link *l, struct err *err)
{
    struct limits limits;
    struct packet *p = &l->packet;
    if (!wire_get_limits(p, &limits, err))
        return false;
    int64_t workers = packet_get_int(p);
    const char *about = packet_get_str(p);
    if (p->broken || workers < 1 || workers > 1 << 20)
        return err_set(err, "a description of the machine that is none");
    cJSON *json = json_parse(about, strlen(about), "host", err);
    if (!json)
        return false;
    cJSON_Delete(json);
    if (l->about.len && (!same_limits(&limits, &l->limits) || workers != l->build_workers))
        return err_set(err, "it has other limits than before: is it another machine now?");
    l->limits = limits;
    l->build_workers = (int)workers;
    text_clear(&l->about);
    text_add(&l->about, about);
    return true;
}

static void pass_log_on(struct link *l)
{
    struct text t = {0};
    ssh_log(&l->ssh, &t);
    char *save = NULL;
    for (char *line = t.len ? strtok_r(t.s, "\n", &save) : NULL; line; line = strtok_r(NULL, "\n", &save))
        log_info("%s: %s", l->host->name, line);
    text_free(&t);
}

/* The next message; *fatal as above. WIRE_FAILED is an error. */
static bool next_answer(struct link *l, int *kind, double deadline, bool *fatal, struct err *err)
{
    enum channel_status status = channel_receive(l->ssh.fd, kind, &l->packet, deadline);
    if (status == CHANNEL_CLOSED)
        return closed(l, err);
    if (status == CHANNEL_LATE)
        return err_set(err, "'%s': no answer within %g s", l->host->name, OPEN_SECONDS) || err_environment(err);
    pass_log_on(l);
    *fatal = true;
    if (status != CHANNEL_OK || l->packet.number != l->number)
        return not_ours(l, "a message that nobody asked for", err);
    if (*kind != WIRE_FAILED)
        return true;
    int64_t code = packet_get_int(&l->packet);
    const char *text = packet_get_str(&l->packet);
    if (l->packet.broken)
        return not_ours(l, "a message that is cut short", err);
    err->code = code > EXIT_FINE && code <= EXIT_ENVIRONMENT ? (enum exit_code)code : EXIT_USAGE;
    return err_set(err, "'%s': %s", l->host->name, text);
}

static bool send_request(struct link *l, const struct link_request *r, struct err *err)
{
    packet_clear(&l->packet);
    if (r->write)
        r->write(r->ctx, &l->packet);
    l->packet.number = ++l->number;
    return channel_send(l->ssh.fd, r->kind, &l->packet, CHANNEL_FOREVER) == CHANNEL_OK || closed(l, err);
}

static void write_options(void *ctx, struct packet *p)
{
    wire_put_options(p, ctx);
}

static bool start_program(struct link *l, bool *fatal, struct err *err)
{
    struct installed program;
    struct text t = {0};
    arena_reset(l->arena);
    if (!install(l->arena, l->host, &program, err))
        return false;
    text_printf(&t, "exec %s serve --lock %s", program.run, program.lock);
    if (*l->host->campaign)
        text_printf(&t, " --campaign %s", l->host->campaign);
    bool fine = ssh_start(l->host, text_str(&t), &l->ssh, err);
    text_free(&t);
    return fine && greet(l, fatal, err);
}

static bool connect_once(struct link *l, bool *fatal, struct err *err)
{
    int kind = -1;
    struct link_request open = {.kind = WIRE_OPEN, .write = write_options, .ctx = (void *)(uintptr_t)l->options};
    *fatal = false;
    l->open = start_program(l, fatal, err) && send_request(l, &open, err) &&
              next_answer(l, &kind, clock_now() + OPEN_SECONDS, fatal, err);
    if (l->open && (kind != WIRE_OPEN || !read_opened(l, err)))
        l->open = kind == WIRE_OPEN ? err_context(err, "'%s'", l->host->name)
                                    : not_ours(l, "another message than was asked for", err);
    if (!l->open)
        ssh_stop(&l->ssh);
    return l->open;
}

bool link_open(struct link *l, struct err *err)
{
    bool fatal;
    l->ssh = SSH_NONE;
    return connect_once(l, &fatal, err);
}

void link_close(struct link *l)
{
    ssh_stop(&l->ssh);
    l->open = false;
    packet_free(&l->packet);
    text_free(&l->about);
}

/* ---- making it anew ---- */

static bool is_stopped(const struct link *l)
{
    return l->host->stopped && l->host->stopped();
}

/* False: it shall be given up. */
static bool wait_a_while(const struct link *l, double seconds, double until)
{
    double end = fmin(clock_now() + seconds, until);
    while (clock_now() < end && !is_stopped(l))
        clock_sleep(0.1);
    return clock_now() < until && !is_stopped(l);
}

/* Nothing more will be asked of it. */
static bool give_up(struct link *l, struct err *err)
{
    l->lost = true;
    l->why = *err;
    ssh_stop(&l->ssh);
    l->open = false;
    return false;
}

/* err holds why the connection was lost. */
static bool connect_again(struct link *l, struct err *err)
{
    double pause = FIRST_PAUSE, until = l->since + 60 * l->host->give_up_min;
    bool fatal = false;
    ssh_stop(&l->ssh);
    while (!l->open && !fatal) {
        log_warn("connection lost: %s; the next try is in %g s", err->text, pause);
        if (!wait_a_while(l, pause, until)) {
            log_warn("given up: no answer for %.3g minutes (give_up_min)", (clock_now() - l->since) / 60);
            err->code = EXIT_INTERRUPTED;
            return give_up(l, err);
        }
        pause = fmin(2 * pause, LONGEST_PAUSE);
        *err = (struct err){0};
        connect_once(l, &fatal, err);
    }
    if (l->open)
        log_info("'%s' is connected again", l->host->name);
    return l->open || give_up(l, err);
}

static bool read_answer(const struct link_request *r, int kind, struct packet *p, struct err *err)
{
    if (kind == r->kind)
        return !r->read || r->read(r->ctx, p, err);
    return kind == WIRE_SAMPLE && r->read_sample ? r->read_sample(r->ctx, p, err)
                                                 : err_set(err, "another message than was asked for");
}

/* One try. *again: the connection was lost on the way. */
static bool ask_once(struct link *l, const struct link_request *r, bool *again, struct err *err)
{
    bool fatal = false;
    *again = false;
    if (!send_request(l, r, err)) {
        *again = true;
        return false;
    }
    for (int kind = -1; kind != r->kind;) {
        if (!next_answer(l, &kind, CHANNEL_FOREVER, &fatal, err)) {
            *again = !fatal;
            return !fatal || kind == WIRE_FAILED ? false : give_up(l, err);
        }
        l->since = 0;
        if (!read_answer(r, kind, &l->packet, err)) {
            err->code = EXIT_INVALID;
            err_context(err, "'%s'", l->host->name);
            return give_up(l, err);
        }
    }
    return true;
}

bool link_ask(struct link *l, const struct link_request *r, struct err *err)
{
    if (l->lost) {
        *err = l->why;
        return false;
    }
    for (;;) {
        bool again = false;
        if (l->open && ask_once(l, r, &again, err))
            return true;
        if (!again)
            return false;
        l->open = false;
        l->since = l->since > 0 ? l->since : clock_now();
        if (!connect_again(l, err))
            return false;
    }
}

void link_stop_batch(struct link *l)
{
    struct packet none = {.number = l->number};
    if (channel_send(l->ssh.fd, WIRE_STOP, &none, clock_now() + 1) != CHANNEL_OK)
        log_debug("'%s' could not be told to stop", l->host->name);
    packet_free(&none);
}
