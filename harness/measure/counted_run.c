/* SPDX-License-Identifier: Apache-2.0 */
/* counted_run: see counted_run.h. Runs in the runner; only counted_run_absent is the parent's. */
#include "harness/measure/counted_run.h"

#include "harness/base/arena.h"

#include <stdio.h>
#include <string.h>

/* An absent counter in the name of a whole collector. */
static void put_absent(struct counter *out, const char *name, const char *reason)
{
    *out = (struct counter){.present = false};
    snprintf(out->name, sizeof out->name, "%s", name);
    snprintf(out->reason, sizeof out->reason, "%.95s", *reason ? reason : "no reason was given");
}

void counted_run_absent(const struct collector *const *collectors, const char *reason, struct counter *out, int most,
                        int *n)
{
    *n = 0;
    for (int i = 0; collectors && collectors[i] && *n < most; i++)
        put_absent(&out[(*n)++], collectors[i]->name, reason);
}

void counted_run_open(struct counted_run *p, const struct collector *const *collectors, struct arena *a)
{
    static const struct collector *const NONE[] = {NULL};
    memset(p, 0, sizeof *p);
    p->collectors = collectors ? collectors : NONE;
    for (int i = 0; p->collectors[i]; i++) {
        const struct collector *c = p->collectors[i];
        struct err err = {0};
        if (i == COUNTED_RUN_COLLECTORS)
            bug("more than %d collectors", COUNTED_RUN_COLLECTORS);
        void *self = arena_alloc(a, c->state_size + 1);
        if (c->open(self, &err))
            p->self[i] = self;
        else
            snprintf(p->why[i], sizeof p->why[i], "%.95s", err.text);
    }
}

void counted_run_close(struct counted_run *p)
{
    for (int i = 0; p->collectors[i]; i++)
        if (p->self[i])
            p->collectors[i]->close(p->self[i]);
}

/* Counts number calls; *counted false with why when the collector could not. */
static enum outcome count_calls(const struct collector *c, void *self, int number, const struct repeat *r,
                                struct counter *out, int *n, bool *counted, struct err *err,
                                char message[SAMPLE_MESSAGE])
{
    double ignored;
    *n = 0;
    *counted = c->start(self, err);
    if (!*counted)
        return OUTCOME_OK;
    enum outcome o = r->call(r->ctx, number, &ignored, message);
    *counted = c->stop(self, out, n, err);
    for (int i = 0; i < *n; i++)
        out[i].value = out[i].present ? out[i].value / number : 0;
    return o;
}

enum outcome counted_run_take(struct counted_run *p, const struct regime *regime, const struct repeat *r,
                              char message[SAMPLE_MESSAGE])
{
    int number = regime->cache_flush || regime->number < 1 ? 1 : (int)regime->number;
    double ignored;
    enum outcome o = OUTCOME_OK;
    for (int i = 0; (i < 1 || i < regime->warmup) && o == OUTCOME_OK; i++)
        o = r->call(r->ctx, 1, &ignored, message);
    for (int i = 0; p->collectors[i] && o == OUTCOME_OK; i++) {
        const struct collector *c = p->collectors[i];
        struct counter *out = &p->out[p->n];
        struct err err = {0};
        bool counted = p->self[i] != NULL;
        int n = 0;
        if (counted && regime->cache_flush && r->flush)
            r->flush(r->ctx);
        if (counted)
            o = count_calls(c, p->self[i], number, r, out, &n, &counted, &err, message);
        if (!counted) {
            put_absent(out, c->name, p->self[i] ? err.text : p->why[i]);
            n = 1;
        }
        p->n += n;
    }
    return o;
}
