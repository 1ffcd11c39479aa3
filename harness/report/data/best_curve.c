/* SPDX-License-Identifier: Apache-2.0 */
/* best_curve: a network may have 10,000 records, so they are read into an arena of their own and only the curve is
 * kept. */
#include "harness/report/data/best_curve.h"

#include "harness/base/text.h"
#include "harness/record/curve.h"

#include <math.h>

static void add(struct best_curve *t, double x, double y)
{
    vec_push(&t->x, x);
    vec_push(&t->y, y);
}

static bool explored(struct arm_results *m, int cell, struct best_curve *out)
{
    struct arena *a = arena_open("climb");
    const struct store_cell *c = &m->cells[cell];
    struct record *records;
    int n;
    bool fine = store_records(m->s, a, (struct store_part){cell, -1, 0}, &records, &n, m->err);
    if (fine) {
        struct curve curve = curve_network(a, records, n, c->ntasks);
        for (int i = 0; i < curve.n; i++)
            add(out, curve.points[i].at, curve.points[i].value);
        if (curve.n)
            add(out, c->elapsed_s, curve.points[curve.n - 1].value);
    }
    arena_close(a);
    return fine;
}

/* One descent: from the seed's time down; the clock goes on by what its trials took. */
static bool descend(struct arm_results *m, struct arena *a, int cell, int task, double *clock, double *sum,
                    struct best_curve *out)
{
    const struct store_task *t = &m->cells[cell].tasks[task];
    struct record seed, *records;
    int n;
    double best = INFINITY;
    if (t->seed_trial && !store_record(m->s, a, t->seed_trial, &seed, m->err))
        return false;
    if (!store_records(m->s, a, (struct store_part){cell, task, 0}, &records, &n, m->err))
        return false;
    best = t->seed_trial ? sample_mean(&seed.sample) : best;
    for (int i = 0; i < n; i++) {
        double mean = sample_mean(&records[i].sample);
        *clock += records[i].wall_s;
        if (!(mean < best))
            continue;
        *sum += mean - best;
        best = mean;
        add(out, *clock, *sum);
    }
    return true;
}

static bool exploited(struct arm_results *m, int from, int cell, struct best_curve *out)
{
    struct arm_result seeds = {0};
    if (!arm_result_explored(m, from, arm_result_seeds(&m->cells[cell]), &seeds))
        return false;
    double clock = seeds.search_s[CLOCK_WALL], sum = seeds.kernel_s[SUM_PLAIN];
    struct arena *a = arena_open("climb");
    bool fine = true;
    add(out, clock, sum);
    for (int t = 0; t < m->cells[cell].ntasks && fine; t++)
        fine = descend(m, a, cell, t, &clock, &sum, out);
    add(out, clock, sum);
    arena_close(a);
    return fine;
}

static const struct arm *descent_arm(const struct experiment *e)
{
    for (int i = 0; i < e->narms; i++)
        if (e->arms[i].explore && !arm_is_remeasure(&e->arms[i]))
            return &e->arms[i];
    return NULL;
}

/* Every seed of one arm's cells; from: the explorer's arm, NULL for the explorer itself. */
static bool read_entrant(struct arm_results *m, const struct experiment *e, const char *network, const char *name,
                         const char *from, struct best_curve_entrant *out)
{
    *out = (struct best_curve_entrant){.name = name, .of = ARENA_ARRAY(m->a, struct best_curve, e->seeds + 1)};
    for (int64_t seed = e->seed_base + 1; seed <= e->seed_base + e->seeds; seed++) {
        int cell = arm_results_cell(m, network, name, seed), home = from ? arm_results_cell(m, network, from, seed) : 0;
        struct best_curve *t = &out->of[out->n];
        if (cell < 0 || home < 0)
            continue;
        out->n++;
        t->seed = seed;
        if (!(from ? exploited(m, home, cell, t) : explored(m, cell, t)))
            return false;
    }
    return true;
}

bool best_curves_read(struct arena *a, struct store *s, const struct experiment *e, const char *network,
                      struct best_curves *out, struct err *err)
{
    struct arm_results sides;
    const struct arm *first = descent_arm(e);
    int most = 1;
    *out = (struct best_curves){0};
    if (!first)
        return true;
    for (int i = 0; i < e->narms; i++)
        most += e->arms[i].nk;
    out->all = ARENA_ARRAY(a, struct best_curve_entrant, most);
    if (!arm_results_open(&sides, a, s, err) ||
        !read_entrant(&sides, e, network, first->explore, NULL, &out->all[out->n++]))
        return false;
    for (int i = 0; i < e->narms; i++) {
        const struct arm *arm = &e->arms[i];
        if (!arm->explore || !str_eq(arm->explore, first->explore) || arm_is_remeasure(arm))
            continue;
        for (int k = 0; k < arm->nk; k++)
            if (!read_entrant(&sides, e, network, arena_printf(a, "%s-%lld", arm->name, (long long)arm->k[k]),
                              first->explore, &out->all[out->n++]))
                return false;
    }
    return true;
}

void best_curves_free(struct best_curves *t)
{
    for (int i = 0; i < t->n; i++)
        for (int s = 0; s < t->all[i].n; s++) {
            vec_free(&t->all[i].of[s].x);
            vec_free(&t->all[i].of[s].y);
        }
    t->n = 0;
}

double best_curve_at(const struct best_curve *t, double x)
{
    int low = 0, high = t->x.n; /* points up to x */
    while (low < high) {
        int middle = (low + high) / 2;
        if (t->x.at[middle] <= x)
            low = middle + 1;
        else
            high = middle;
    }
    return low ? t->y.at[low - 1] : INFINITY;
}

double best_curve_reach(const struct best_curve *t, double y)
{
    for (int i = 0; i < t->x.n; i++)
        if (t->y.at[i] <= y)
            return t->x.at[i];
    return INFINITY;
}

double best_curve_end(const struct best_curve *t)
{
    return t->x.n ? vec_last(&t->x) : 0;
}

double best_curve_last(const struct best_curve *t)
{
    return t->y.n ? vec_last(&t->y) : INFINITY;
}
