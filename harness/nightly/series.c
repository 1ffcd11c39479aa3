/* SPDX-License-Identifier: Apache-2.0 */
/* series: from the records of a folder. */
#include "harness/nightly/series.h"

#include "harness/base/text.h"
#include "harness/report/data/records.h"

#include <math.h>

void series_free(struct series *s)
{
    vec_free(&s->all);
}

static void add(struct series *s, const char *name, int ordinal, double seconds)
{
    if (isfinite(seconds) && seconds > 0)
        vec_push(&s->all, (struct series_value){name, ordinal, seconds});
}

struct reader {
    struct arena *arena;
    struct records records;
    struct series *out;
};

/* The re-timed launches of a record. */
static void read_launches(struct reader *r, const struct store_cell *cell, const struct store_task *t, int64_t record)
{
    const struct retimed_trial *timed = records_retimed(&r->records, record);
    for (int i = 0; timed && i < timed->n; i++)
        add(r->out,
            arena_printf(r->arena, "program %s %s/%s-%lld", t->name, cell->network, cell->arm, (long long)cell->seed),
            i, timed->readings[i]);
}

/* Adds a task's best time by calls to *sum, NaN when it has none, and its launches to the series. */
static bool read_task(struct reader *r, const struct store_cell *cell, int number, int task, double *sum,
                      struct err *err)
{
    struct record best;
    bool found;
    const struct store_task *t = &cell->tasks[task];
    if (!store_best(r->records.s, r->arena, (struct store_part){number, task, 0}, &best, &found, err))
        return false;
    *sum = found ? *sum + t->weight * sample_mean(&best.sample) : (double)NAN;
    if (found)
        read_launches(r, cell, t, best.id);
    return true;
}

bool series_read(struct arena *a, struct store *s, struct series *out, struct err *err)
{
    struct reader r = {.arena = a, .out = out};
    struct store_cell *cells;
    int n;
    if (!records_read(a, s, &r.records, err) || !store_cells(s, a, &cells, &n, err))
        return false;
    for (int i = 0; i < n; i++) {
        const struct store_cell *c = &cells[i];
        double sum = 0;
        if (!str_eq(c->state, "done"))
            continue;
        for (int t = 0; t < c->ntasks; t++)
            if (!read_task(&r, c, i, t, &sum, err))
                return false;
        add(out, arena_printf(a, "search %s/%s", c->network, c->arm), (int)c->seed, sum);
        if (c->trials_done > 0)
            add(out, arena_printf(a, "cost %s/%s", c->network, c->arm), (int)c->seed,
                c->elapsed_s / (double)c->trials_done);
    }
    return true;
}

int series_take(const struct series *s, struct arena *a, const char *name, double **out)
{
    int n = 0;
    *out = ARENA_ARRAY(a, double, s->all.n + 1);
    for (int i = 0; i < s->all.n; i++)
        if (str_eq(s->all.at[i].series, name))
            (*out)[n++] = s->all.at[i].seconds;
    return n;
}

int series_names(const struct series *s, struct arena *a, const char ***out)
{
    int n = 0;
    *out = ARENA_ARRAY(a, const char *, s->all.n + 1);
    for (int i = 0; i < s->all.n; i++) {
        bool known = false;
        for (int k = 0; k < n && !known; k++)
            known = str_eq((*out)[k], s->all.at[i].series);
        if (!known)
            (*out)[n++] = s->all.at[i].series;
    }
    return n;
}
