/* SPDX-License-Identifier: Apache-2.0 */
/* records: launches are few (programs re-timed x launches), so all of them are kept. */
#include "harness/report/data/records.h"

#include "harness/record/keys.h"
#include "harness/record/taken_kernels.h"
#include "harness/tune/duel_rules.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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
    int n = d->launches < RECORDS_LAUNCHES ? d->launches : RECORDS_LAUNCHES;
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
    struct duel_rules defaults;
    setting_defaults(duel_settings, &defaults);
    *out = (struct records){.a = a, .s = s, .asked_half_width = defaults.half_width};
    int64_t *ids;
    int n;
    if (!duel_trials(s, a, &ids, &n, err) || !record_scan_read(a, s, ids, n, &out->scan, err) ||
        !duel_list_read(s, a, &out->scan, &out->duels, err))
        return false;
    take_duels(out);
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
    return x && y && x->duel == y->duel ? duel_p(&r->duels.data[x->duel], x->place, y->place) : (double)NAN;
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

bool records_keeps_seed(const struct record_scan *s, int cell)
{
    int explorer = s->cells[cell].explore_cell;
    return keys_seed_is_kept(&s->cells[cell].keys, explorer < 0 ? NULL : &s->cells[explorer].keys);
}

struct kept_program records_kept(const struct records *r, int cell, int task)
{
    const struct record_scan *s = &r->scan;
    const struct scan_sums *own = &s->of[record_scan_home(s, cell, task)].kernels[task].all;
    const struct scan_trial *seed = record_scan_trial(s, s->cells[cell].tasks[task].seed_trial);
    bool from_seed = seed && (!own->best || (seed->mean_s < own->best_s && records_keeps_seed(s, cell)));
    return from_seed ? (struct kept_program){seed->id, seed->mean_s} : (struct kept_program){own->best, own->best_s};
}
