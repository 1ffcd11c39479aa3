/* SPDX-License-Identifier: Apache-2.0 */
/* counted_run: in the runner; only counted_run_absent is called by the parent. */
#include "harness/measure/counted_run.h"

#include "harness/base/arena.h"

#include <stdio.h>
#include <string.h>

/* Adds an absent counter in the name of a whole collector. */
static void add_absent(struct counter_list *out, const char *name, const char *reason)
{
    struct counter *c = &out->at[out->n++];
    *c = counter_of(name, 0);
    c->present = false;
    snprintf(c->reason, sizeof c->reason, "%.95s", *reason ? reason : "no reason was given");
}

void counted_run_absent(const struct collector *const *collectors, const char *reason, struct counter_list *out)
{
    out->n = 0;
    for (int i = 0; collectors && collectors[i] && i < COUNTED_RUN_COUNTERS; i++)
        add_absent(out, collectors[i]->name, reason);
}

void counted_run_open(struct counted_run *run, const struct collector *const *collectors, struct arena *a)
{
    static const struct collector *const NONE[] = {NULL};
    memset(run, 0, sizeof *run);
    run->collectors = collectors ? collectors : NONE;
    for (int i = 0; run->collectors[i]; i++) {
        const struct collector *c = run->collectors[i];
        struct err err = {0};
        if (i == COUNTED_RUN_COLLECTORS)
            bug("more than %d collectors", COUNTED_RUN_COLLECTORS);
        void *self = arena_alloc(a, c->state_size + 1);
        if (!c->open || c->open(self, &err))
            run->self[i] = self;
        else
            snprintf(run->why[i], sizeof run->why[i], "%.95s", err.text);
    }
}

void counted_run_close(struct counted_run *run)
{
    for (int i = 0; run->collectors[i]; i++)
        if (run->self[i] && run->collectors[i]->close)
            run->collectors[i]->close(run->self[i]);
}

struct counted_calls { /* number calls of the kernel between a collector's start and stop */
    const struct repeat *repeat;
    int number;
    char *message; /* of a call that fails */
};

/* Adds the counters of the collector. False with the reason: it could not count. *o: outcome of the calls. */
static bool count_calls(const struct collector *c, void *self, const struct counted_calls *calls,
                        struct counter_list *out, enum outcome *o, struct err *why)
{
    struct counter *first = &out->at[out->n];
    double ignored;
    int n = 0, number = c->most_calls && c->most_calls < calls->number ? c->most_calls : calls->number;
    if (calls->repeat->before)
        calls->repeat->before(calls->repeat->ctx);
    bool started = !c->start || c->start(self, why), counts = started;
    /* the output was poisoned before, and is looked at after: it must be written */
    if (!started || c->rewind)
        *o = calls->repeat->call(calls->repeat->ctx, 1, &ignored, calls->message);
    if (started && c->rewind)
        counts = *o == OUTCOME_OK && c->rewind(self, why);
    if (counts)
        *o = calls->repeat->call(calls->repeat->ctx, number, &ignored, calls->message);
    if (!started || !c->stop(self, first, &n, counts ? why : NULL) || !counts)
        return false;
    for (int i = 0; i < n; i++)
        first[i].value = !first[i].present ? 0 : first[i].level ? first[i].value : first[i].value / number;
    out->n += n;
    return true;
}

/* The counters of collector i, or an absent one. */
static enum outcome collector_take(struct counted_run *run, int i, bool flush, const struct counted_calls *calls)
{
    const struct collector *c = run->collectors[i];
    struct err why = {0};
    if (!run->self[i]) {
        add_absent(&run->out, c->name, run->why[i]);
        return OUTCOME_OK;
    }
    if (flush && calls->repeat->flush)
        calls->repeat->flush(calls->repeat->ctx);
    enum outcome o = OUTCOME_OK;
    if (!count_calls(c, run->self[i], calls, &run->out, &o, &why))
        add_absent(&run->out, c->name, why.text);
    return o;
}

enum outcome counted_run_take(struct counted_run *run, const struct regime *regime, const struct repeat *r,
                              char message[SAMPLE_MESSAGE])
{
    const struct counted_calls calls = {
        .repeat = r, .number = regime->cache_flush || regime->number < 1 ? 1 : (int)regime->number, .message = message};
    double ignored;
    enum outcome o = OUTCOME_OK;
    for (int i = 0; (i < 1 || i < regime->warmup) && o == OUTCOME_OK; i++)
        o = r->call(r->ctx, 1, &ignored, message);
    for (int i = 0; run->collectors[i] && o == OUTCOME_OK; i++)
        o = collector_take(run, i, regime->cache_flush, &calls);
    return o;
}
