/* SPDX-License-Identifier: Apache-2.0 */
/* remote: each function is a request, and a reader of its answers. */
#include "harness/measure/remote/remote.h"

#include "harness/measure/remote/link.h"

#include <math.h>
#include <string.h>

struct remote {
    struct measure_options o;
    struct arena *arena;
    struct link link;
    int64_t trials; /* measured so far, for planted faults */
};

bool remote_open(const struct measure_options *o, struct remote **out, struct limits *limits, struct err *err)
{
    struct arena *a = arena_open("remote");
    struct remote *r = ARENA_NEW(a, struct remote);
    *r = (struct remote){.o = *o, .arena = a};
    r->link = (struct link){.host = o->on, .options = &r->o, .arena = arena_open("link")};
    *out = r;
    if (!link_open(&r->link, err))
        return false;
    *limits = r->link.limits;
    return true;
}

void remote_close(struct remote *r)
{
    link_close(&r->link);
    arena_close(r->link.arena);
    arena_close(r->arena);
}

int remote_build_workers(const struct remote *r)
{
    return r->link.build_workers;
}

cJSON *remote_host_about(const struct remote *r)
{
    const struct text *t = &r->link.about;
    cJSON *about = json_parse(text_str(t), t->len, "host", NULL);
    return about ? about : json_object();
}

/* ---- batches ---- */

struct batch_request {
    struct remote *remote;
    struct measured_batch *b;
    bool stopped;
};

/* What has no sample yet. */
static void write_batch(void *ctx, struct packet *p)
{
    const struct batch_request *q = ctx;
    int left = q->b->n - q->b->measured;
    if (left > WIRE_CANDIDATES_MOST)
        left = WIRE_CANDIDATES_MOST;
    if (q->stopped)
        left = 0;
    packet_int(p, q->remote->trials);
    packet_real(p, q->b->fastest_s);
    packet_int(p, left);
    for (int i = 0; i < left; i++)
        wire_put_candidate(p, &q->b->candidates[q->b->measured + i]);
}

static bool read_sample(void *ctx, struct packet *p, struct err *err)
{
    struct batch_request *q = ctx;
    struct measured_batch *b = q->b;
    double shares[PHASE_COUNT];
    if (b->measured == b->n)
        return err_set(err, "more samples than candidates");
    struct sample *s = &b->samples[b->measured];
    if (!wire_get_sample(p, s, err) || !wire_get_phases(p, shares, err))
        return false;
    s->model_score = b->candidates[b->measured].score;
    phases_share(b->phases, PHASE_run, shares);
    b->fastest_s = sample_faster(b->fastest_s, s);
    q->remote->trials++;
    int at = b->measured++;
    if (b->done && !q->stopped && !b->done(b->ctx, at, s)) {
        q->stopped = true;
        link_stop_batch(&q->remote->link);
    }
    return true;
}

bool remote_batch(struct remote *r, struct measured_batch *b, struct err *err)
{
    struct batch_request q = {.remote = r, .b = b};
    const struct link_request ask = {.kind = WIRE_BATCH, .write = write_batch, .read_sample = read_sample, .ctx = &q};
    enum phase before = phases_enter(b->phases, PHASE_run);
    bool fine = true;
    b->measured = 0;
    while (fine && b->measured < b->n && !q.stopped) {
        int had = b->measured;
        fine = link_ask(&r->link, &ask, err);
        if (fine && b->measured == had)
            fine = err_set(err, "'%s' measured nothing of a batch", r->o.on->name);
    }
    phases_enter(b->phases, before);
    return fine;
}

/* ---- single runs ---- */

struct run_request_again {
    const struct candidate *c;
    const struct regime *regime;
    struct sample *s;
    struct counter_list *counters; /* NULL: none are asked for */
    int kind;
};

static void write_run(void *ctx, struct packet *p)
{
    const struct run_request_again *q = ctx;
    wire_put_regime(p, q->regime);
    wire_put_candidate(p, q->c);
}

static bool read_run(void *ctx, struct packet *p, struct err *err)
{
    const struct run_request_again *q = ctx;
    if (!wire_get_sample(p, q->s, err) || (q->counters && !wire_get_counters(p, q->counters, err)))
        return false;
    q->s->model_score = q->c->score;
    return true;
}

static bool run_once(struct remote *r, struct run_request_again *q, struct err *err)
{
    const struct link_request ask = {.kind = q->kind, .write = write_run, .read = read_run, .ctx = q};
    return link_ask(&r->link, &ask, err);
}

bool remote_again(struct remote *r, const struct candidate *c, const struct regime *regime, struct sample *out,
                  struct err *err)
{
    return run_once(r, &(struct run_request_again){.c = c, .regime = regime, .s = out, .kind = WIRE_AGAIN}, err);
}

bool remote_count(struct remote *r, const struct candidate *c, const struct regime *regime, struct counter_list *out,
                  struct sample *s, struct err *err)
{
    struct run_request_again q = {.c = c, .regime = regime, .s = s, .counters = out, .kind = WIRE_COUNT};
    return run_once(r, &q, err);
}

static void write_sliced(void *ctx, struct packet *p)
{
    wire_put_sliced(p, ctx);
}

static bool read_sliced(void *ctx, struct packet *p, struct err *err)
{
    struct sliced_run *run = ctx;
    for (int i = 0; i < run->n; i++) {
        if (!wire_get_sample(p, &run->programs[i].sample, err))
            return false;
        run->programs[i].sample.model_score = run->programs[i].c->score;
    }
    return true;
}

bool remote_sliced(struct remote *r, struct sliced_run *run, struct err *err)
{
    const struct link_request ask = {.kind = WIRE_SLICED, .write = write_sliced, .read = read_sliced, .ctx = run};
    return link_ask(&r->link, &ask, err);
}

/* ---- what the machine says of itself ---- */

static bool read_peak(void *ctx, struct packet *p, struct err *err)
{
    return wire_get_amount(p, "a peak", ctx, err);
}

double remote_peak_flops(struct remote *r)
{
    double flops = 0;
    struct err ignored = {0};
    const struct link_request ask = {.kind = WIRE_PEAK, .read = read_peak, .ctx = &flops};
    return link_ask(&r->link, &ask, &ignored) ? flops : 0;
}

static bool read_description(void *ctx, struct packet *p, struct err *err)
{
    cJSON **out = ctx;
    const char *text = packet_get_str(p);
    if (p->broken)
        return err_set(err, "a description that is cut short");
    *out = json_parse(text, strlen(text), "description", err);
    return *out != NULL;
}

void remote_describe(struct remote *r, cJSON *object)
{
    cJSON *about = NULL;
    struct err ignored = {0};
    const struct link_request ask = {.kind = WIRE_DESCRIBE, .read = read_description, .ctx = &about};
    if (link_ask(&r->link, &ask, &ignored))
        json_move(about, object);
    cJSON_Delete(about);
}

static bool read_contention(void *ctx, struct packet *p, struct err *err)
{
    struct cpu_contention *c = ctx;
    c->others_s = packet_get_real(p); /* may be a little below 0 */
    c->stolen_s = packet_get_real(p);
    c->whole_s = packet_get_real(p);
    return (!p->broken && isfinite(c->others_s + c->stolen_s + c->whole_s)) ||
           err_set(err, "a contention that is none");
}

struct cpu_contention remote_contention(struct remote *r)
{
    struct cpu_contention c = {0};
    struct err ignored = {0};
    const struct link_request ask = {.kind = WIRE_CONTENTION, .read = read_contention, .ctx = &c};
    return link_ask(&r->link, &ask, &ignored) ? c : (struct cpu_contention){0};
}
