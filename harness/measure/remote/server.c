/* SPDX-License-Identifier: Apache-2.0 */
/* server: one request after the other. A thread waits for the end of the connection and does nothing else. */
#include "harness/measure/remote/server.h"

#include "harness/measure/measure.h"
#include "harness/measure/measurer.h"
#include "harness/measure/remote/server_lock.h"
#include "harness/measure/remote/wire.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct server {
    const struct registry *registry;
    int in, out;
    struct packet packet; /* the request, then the answer */
    uint64_t number;      /* of the request */
    struct wire_reader reader;
    struct measurer *m;
    struct limits limits;
};

static _Noreturn void gone(void)
{
    _exit(EXIT_FINE);
}

static void answer(struct server *s, enum wire_message kind)
{
    s->packet.number = s->number;
    if (channel_send(s->out, kind, &s->packet, CHANNEL_FOREVER) != CHANNEL_OK)
        gone();
}

static void answer_failed(struct server *s, const struct err *why)
{
    packet_clear(&s->packet);
    packet_int(&s->packet, why->code);
    packet_str(&s->packet, why->text);
    answer(s, WIRE_FAILED);
}

/* ---- requests: each reads the packet, and writes the answer into it; false: err says why not ---- */

static bool serve_open(struct server *s, struct err *err)
{
    struct measure_options o;
    struct text about = {0};
    if (s->m)
        return err_set(err, "a measurer is open already");
    if (!wire_get_options(&s->reader, &s->packet, s->registry, &o, err) || !measure_open(&o, &s->m, &s->limits, err))
        return false;
    measure_contention(s->m);
    json_print(measure_host(s->m), &about);
    packet_clear(&s->packet);
    wire_put_limits(&s->packet, &s->limits);
    packet_int(&s->packet, measure_build_workers(s->m));
    packet_str(&s->packet, text_str(&about));
    text_free(&about);
    return true;
}

struct served_batch {
    struct server *s;
    struct phases phases;
    double told[PHASE_COUNT]; /* of the phases, seconds that earlier answers have had */
};

/* False when the other end has said anything: that is WIRE_STOP, or its end. */
static bool sample_done(void *ctx, int i, const struct sample *sample)
{
    struct served_batch *b = ctx;
    double since[PHASE_COUNT];
    (void)i;
    phases_enter(&b->phases, b->phases.now); /* books the time until now */
    for (int k = 0; k < PHASE_COUNT; k++)
        since[k] = b->phases.seconds[k] - b->told[k];
    memcpy(b->told, b->phases.seconds, sizeof since);
    packet_clear(&b->s->packet);
    packet_sample(&b->s->packet, sample);
    wire_put_phases(&b->s->packet, since);
    answer(b->s, WIRE_SAMPLE);
    return channel_wait(&b->s->in, 1, 0) < 0;
}

static bool read_batch(struct server *s, struct measured_batch *b, struct err *err)
{
    struct packet *p = &s->packet;
    s->m->trials = packet_get_int(p);
    if (!wire_get_amount(p, "a time", &b->fastest_s, err))
        return false;
    int64_t n = packet_get_int(p);
    if (p->broken || n < 0 || n > WIRE_CANDIDATES_MOST)
        return err_set(err, "a batch with a number of candidates that is none");
    struct candidate *c = ARENA_ARRAY(s->reader.scratch, struct candidate, n + 1);
    b->candidates = c;
    b->samples = ARENA_ARRAY(s->reader.scratch, struct sample, n + 1);
    b->n = (int)n;
    for (int i = 0; i < b->n; i++)
        if (!wire_get_candidate(&s->reader, p, &c[i], err))
            return false;
    return true;
}

static bool serve_batch(struct server *s, struct err *err)
{
    struct served_batch ctx = {.s = s};
    struct measured_batch b = {.done = sample_done, .ctx = &ctx, .phases = &ctx.phases};
    if (!read_batch(s, &b, err))
        return false;
    phases_start(&ctx.phases);
    if (!measure_batch(s->m, &b, err))
        return false;
    packet_clear(&s->packet);
    return true;
}

static bool read_run(struct server *s, struct regime *regime, struct candidate *c, struct err *err)
{
    return wire_get_regime(&s->reader, &s->packet, regime, err) && wire_get_candidate(&s->reader, &s->packet, c, err);
}

static bool serve_again(struct server *s, struct err *err)
{
    struct regime regime;
    struct candidate c;
    struct sample sample;
    if (!read_run(s, &regime, &c, err) || !measure_again(s->m, &c, &regime, &sample, err))
        return false;
    packet_clear(&s->packet);
    packet_sample(&s->packet, &sample);
    return true;
}

static bool serve_count(struct server *s, struct err *err)
{
    struct regime regime;
    struct candidate c;
    struct sample sample;
    struct counter_list counters;
    if (!read_run(s, &regime, &c, err) || !measure_count(s->m, &c, &regime, &counters, &sample, err))
        return false;
    packet_clear(&s->packet);
    packet_sample(&s->packet, &sample);
    wire_put_counters(&s->packet, &counters);
    return true;
}

static bool serve_sliced(struct server *s, struct err *err)
{
    struct wire_sliced *w = ARENA_NEW(s->reader.scratch, struct wire_sliced);
    if (!wire_get_sliced(&s->reader, &s->packet, w, err) || !measure_sliced(s->m, &w->run, err))
        return false;
    packet_clear(&s->packet);
    for (int i = 0; i < w->run.n; i++)
        packet_sample(&s->packet, &w->programs[i].sample);
    return true;
}

static bool serve_peak(struct server *s, struct err *err)
{
    (void)err;
    packet_clear(&s->packet);
    packet_real(&s->packet, measure_peak_flops(s->m));
    return true;
}

static bool serve_describe(struct server *s, struct err *err)
{
    struct text t = {0};
    cJSON *about = json_object();
    (void)err;
    measure_describe(s->m, about);
    json_print(about, &t);
    packet_clear(&s->packet);
    packet_str(&s->packet, text_str(&t));
    text_free(&t);
    return true;
}

static bool serve_contention(struct server *s, struct err *err)
{
    struct cpu_contention c = measure_contention(s->m);
    (void)err;
    packet_clear(&s->packet);
    packet_real(&s->packet, c.others_s);
    packet_real(&s->packet, c.stolen_s);
    packet_real(&s->packet, c.whole_s);
    return true;
}

static const struct service {
    enum wire_message kind;
    bool (*serve)(struct server *s, struct err *err);
} SERVICES[] = {{WIRE_OPEN, serve_open},         {WIRE_BATCH, serve_batch},          {WIRE_AGAIN, serve_again},
                {WIRE_COUNT, serve_count},       {WIRE_SLICED, serve_sliced},        {WIRE_PEAK, serve_peak},
                {WIRE_DESCRIBE, serve_describe}, {WIRE_CONTENTION, serve_contention}};

static const struct service *service_of(int kind)
{
    for (size_t i = 0; i < sizeof SERVICES / sizeof *SERVICES; i++)
        if ((int)SERVICES[i].kind == kind)
            return &SERVICES[i];
    return NULL;
}

static bool serve_one(struct server *s, int kind, struct err *err)
{
    const struct service *v = service_of(kind);
    struct err why = {0};
    if (kind == WIRE_STOP) /* it came after the last sample */
        return true;
    if (!v || (!s->m && kind != WIRE_OPEN))
        return err_set(err, "message %d is no request", kind);
    s->number = s->packet.number;
    arena_reset(s->reader.scratch);
    if (v->serve(s, &why))
        answer(s, v->kind);
    else
        answer_failed(s, &why);
    return true;
}

static bool serve_all(struct server *s, struct err *err)
{
    int kind = -1;
    enum channel_status status;
    bool fine = true;
    while (fine && (status = channel_receive(s->in, &kind, &s->packet, CHANNEL_FOREVER)) == CHANNEL_OK)
        fine = serve_one(s, kind, err);
    return fine && (status == CHANNEL_CLOSED || err_set(err, "standard input holds no request of raingauge"));
}

/* ---- the connection ---- */

/* Workers see its end by the end of the process (fork_server.h). */
static void *watch(void *ctx)
{
    const struct server *s = ctx;
    for (;;) {
        struct pollfd one = {.fd = s->in, .events = POLLRDHUP};
        if (poll(&one, 1, -1) > 0 && (one.revents & (POLLRDHUP | POLLHUP | POLLERR | POLLNVAL)))
            gone();
    }
}

static void on_broken_pipe(int number)
{
    (void)number; /* the write fails; and a program that this one starts has the default again */
}

/* Takes the standard descriptors for itself: nobody else shall read requests or write into answers. */
static bool take_streams(struct server *s, struct err *err)
{
    struct sigaction act = {.sa_handler = on_broken_pipe};
    int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
    s->in = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
    s->out = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
    if (nothing < 0 || s->in < 0 || s->out < 0 || dup2(nothing, STDIN_FILENO) < 0 ||
        dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
        return err_set(err, "cannot take the standard streams: %s", strerror(errno));
    close(nothing);
    sigemptyset(&act.sa_mask);
    sigaction(SIGPIPE, &act, NULL);
    return true;
}

static bool say_hello(struct server *s, const char *identity)
{
    static const char mark[] = WIRE_MARK;
    if (write(s->out, mark, sizeof mark - 1) != (ssize_t)(sizeof mark - 1))
        return false;
    packet_clear(&s->packet);
    packet_str(&s->packet, identity);
    answer(s, WIRE_HELLO);
    return true;
}

bool server_serve(const struct registry *k, const struct server_options *o, struct err *err)
{
    struct server s = {.registry = k, .reader = {.kept = arena_open("tasks"), .scratch = arena_open("request")}};
    pthread_t watcher;
    bool fine = take_streams(&s, err) && (!*o->lock || server_lock(o->lock, o->campaign, err));
    if (fine && pthread_create(&watcher, NULL, watch, &s) != 0)
        fine = err_set(err, "cannot start a thread");
    if (fine && (!say_hello(&s, o->identity) || serve_all(&s, err)))
        gone();
    arena_close(s.reader.kept);
    arena_close(s.reader.scratch);
    return false; /* the process ends now, and the watcher with it */
}
