/* SPDX-License-Identifier: Apache-2.0 */
/* records: launches are few (programs re-timed x launches), so all of them are kept. */
#include "harness/report/data/records.h"

#include "harness/base/vec.h"
#include "harness/stats/summary.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct launch {
    int64_t trial;
    double seconds;
};
struct reader {
    VEC(struct launch) all; /* by trial and launch */
};

double records_reading(const struct sample *s)
{
    return s->outcome == OUTCOME_OK && s->nseconds > 0 ? summary_median(s->seconds, s->nseconds) : INFINITY;
}

static void add_launch(void *with, const struct store_retiming *f)
{
    struct reader *r = with;
    bool valid = f->sample.outcome == OUTCOME_OK;
    vec_push(&r->all, (struct launch){f->trial, valid ? records_reading(&f->sample) : (double)NAN});
}

/* The launches of one trial, n of them. */
static struct retimed_trial trial_of(struct arena *a, const struct launch *l, int n)
{
    struct retimed_trial t = {.trial = l->trial, .readings = ARENA_ARRAY(a, double, n), .n = n};
    double *valid = ARENA_ARRAY(a, double, n);
    int nvalid = 0;
    for (int i = 0; i < n; i++) {
        t.readings[i] = l[i].seconds;
        if (!isnan(l[i].seconds))
            valid[nvalid++] = l[i].seconds;
    }
    t.median = nvalid ? summary_median(valid, nvalid) : NAN;
    return t;
}

static void group(struct records *r, const struct reader *from)
{
    r->retimed = ARENA_ARRAY(r->a, struct retimed_trial, from->all.n + 1);
    for (int i = 0, n; i < from->all.n; i += n) {
        for (n = 1; i + n < from->all.n && n < RETIMING_LAUNCHES && from->all.at[i + n].trial == from->all.at[i].trial;)
            n++;
        r->retimed[r->nretimed++] = trial_of(r->a, from->all.at + i, n);
    }
}

bool records_read(struct arena *a, struct store *s, struct records *out, struct err *err)
{
    struct reader r = {0};
    *out = (struct records){.a = a, .s = s};
    bool fine = retimings_each(s, add_launch, &r, err);
    if (fine)
        group(out, &r);
    vec_free(&r.all);
    int64_t *ids = ARENA_ARRAY(a, int64_t, out->nretimed + 1);
    for (int i = 0; i < out->nretimed; i++)
        ids[i] = out->retimed[i].trial;
    return fine && record_scan_read(a, s, ids, out->nretimed, &out->scan, err);
}

static int by_trial(const void *a, const void *b)
{
    const struct retimed_trial *x = a, *y = b;
    return x->trial < y->trial ? -1 : x->trial > y->trial;
}

const struct retimed_trial *records_retimed(const struct records *r, int64_t trial)
{
    struct retimed_trial key = {.trial = trial};
    return r->nretimed ? bsearch(&key, r->retimed, (size_t)r->nretimed, sizeof key, by_trial) : NULL;
}

double records_retimed_s(const struct records *r, int64_t trial)
{
    const struct retimed_trial *t = records_retimed(r, trial);
    return t ? t->median : NAN;
}

int records_launches(const struct records *r, int64_t trial, double *out)
{
    const struct retimed_trial *t = records_retimed(r, trial);
    int n = 0;
    for (int i = 0; t && i < t->n; i++)
        if (!isnan(t->readings[i]))
            out[n++] = t->readings[i];
    return n;
}

struct kept_program records_kept(const struct records *r, int cell, int task)
{
    const struct record_scan *s = &r->scan;
    const struct scan_sums *own = &s->of[record_scan_home(s, cell, task)].kernels[task].all;
    const struct scan_trial *seed = record_scan_trial(s, s->cells[cell].tasks[task].seed_trial);
    bool from_seed = seed && (!own->best || seed->mean_s < own->best_s);
    return from_seed ? (struct kept_program){seed->id, seed->mean_s} : (struct kept_program){own->best, own->best_s};
}
