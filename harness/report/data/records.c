/* SPDX-License-Identifier: Apache-2.0 */
/* records: launches are few (programs re-timed x launches), so all of them are kept. */
#include "harness/report/data/records.h"

#include "harness/base/vec.h"
#include "harness/record/keys.h"
#include "harness/record/taken_kernels.h"
#include "harness/stats/summary.h"
#include "harness/stats/t_test.h"
#include "harness/tune/duel_rules.h"

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
    struct retimed_trial t = {.trial = l->trial, .readings = ARENA_ARRAY(a, double, n), .n = n, .duel = -1};
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

/* ---- duels ---- */

/* Seconds of the first program, which all duels of a kernel have: of the first of these duels. */
static double reference_s(const struct duel_list *l, int duel)
{
    const struct duel_record *d = &l->at[duel];
    for (int i = 0; i < duel; i++)
        if (!l->at[i].is_null && l->at[i].task == d->task && l->at[i].seed == d->seed &&
            str_eq(l->at[i].network, d->network))
            return duel_seconds(&l->data[i], 0);
    return duel_seconds(&l->data[duel], 0);
}

static struct retimed_trial dueled(struct arena *a, const struct duel_list *l, int duel, const struct duel_trial *of)
{
    const struct duel *d = &l->data[duel];
    int n = d->launches < RETIMING_LAUNCHES ? d->launches : RETIMING_LAUNCHES;
    struct retimed_trial t = {.trial = of->trial, .n = n, .duel = duel, .place = of->place};
    t.readings = ARENA_ARRAY(a, double, n + 1);
    for (int i = 0; i < n; i++)
        t.readings[i] = exp(d->logs[i * d->programs + of->place]);
    t.median = reference_s(l, duel) * exp(duel_log_ratio(d, of->place, 0, NULL));
    return t;
}

static int by_trial(const void *a, const void *b)
{
    const struct retimed_trial *x = a, *y = b;
    return x->trial != y->trial ? (x->trial > y->trial) - (x->trial < y->trial) : x->duel - y->duel;
}

/* A trial that is in several duels is that of the first. */
static void take_duels(struct records *r)
{
    const struct duel_list *l = &r->duels;
    int most = 0, n = 0;
    for (int i = 0; i < l->n; i++)
        most += l->at[i].is_null ? 0 : l->at[i].ntrials;
    r->retimed = ARENA_ARRAY(r->a, struct retimed_trial, most + 1);
    for (int i = 0; i < l->n; i++)
        for (int k = 0; k < l->at[i].ntrials && !l->at[i].is_null; k++)
            r->retimed[n++] = dueled(r->a, l, i, &l->at[i].trials[k]);
    qsort(r->retimed, (size_t)n, sizeof *r->retimed, by_trial);
    r->nretimed = 0;
    for (int i = 0; i < n; i++)
        if (!i || r->retimed[i].trial != r->retimed[i - 1].trial)
            r->retimed[r->nretimed++] = r->retimed[i];
}

bool records_read(struct arena *a, struct store *s, struct records *out, struct err *err)
{
    struct reader r = {0};
    struct duel_rules defaults;
    setting_defaults(duel_settings, &defaults);
    *out = (struct records){.a = a, .s = s, .asked_half_width = defaults.half_width};
    bool fine = retimings_each(s, add_launch, &r, err) && duel_list_read(s, a, &out->duels, err);
    if (fine && out->duels.n)
        take_duels(out);
    else if (fine)
        group(out, &r);
    vec_free(&r.all);
    int64_t *ids = ARENA_ARRAY(a, int64_t, out->nretimed + 1);
    for (int i = 0; i < out->nretimed; i++)
        ids[i] = out->retimed[i].trial;
    if (!fine || !record_scan_read(a, s, ids, out->nretimed, &out->scan, err))
        return false;
    taken_kernels_join(a, &out->scan);
    return true;
}

static int of_trial(const void *a, const void *b)
{
    const struct retimed_trial *x = a, *y = b;
    return x->trial < y->trial ? -1 : x->trial > y->trial;
}

const struct retimed_trial *records_retimed(const struct records *r, int64_t trial)
{
    struct retimed_trial key = {.trial = trial};
    return r->nretimed ? bsearch(&key, r->retimed, (size_t)r->nretimed, sizeof key, of_trial) : NULL;
}

double records_launches_p(const struct records *r, int64_t one, int64_t other)
{
    const struct retimed_trial *x = records_retimed(r, one), *y = records_retimed(r, other);
    double ours[RETIMING_LAUNCHES], theirs[RETIMING_LAUNCHES];
    if (x && y && x->duel >= 0)
        return x->duel == y->duel ? duel_p(&r->duels.data[x->duel], x->place, y->place) : (double)NAN;
    int n = records_launches(r, one, ours), m = records_launches(r, other, theirs);
    return one == other ? (double)NAN : t_test_means(ours, n, theirs, m).p;
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
    bool trusted = !keys_seed_is_retimed(s->cells[cell].searcher_settings);
    bool from_seed = seed && (!own->best || (trusted && seed->mean_s < own->best_s));
    return from_seed ? (struct kept_program){seed->id, seed->mean_s} : (struct kept_program){own->best, own->best_s};
}
