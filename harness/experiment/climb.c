/* SPDX-License-Identifier: Apache-2.0 */
/* climb: a network may have 10,000 records, so they are read into an arena of their own and only the curve is kept. */
#include "harness/experiment/climb.h"

#include "harness/base/vec.h"
#include "harness/experiment/chart.h"
#include "harness/record/curve.h"

#include <math.h>

struct trace { /* a curve as it is drawn */
    VEC(double) x, y;
};

static void add(struct trace *c, double x, double y)
{
    vec_push(&c->x, x);
    vec_push(&c->y, y);
}

static void drop(struct trace *c)
{
    vec_free(&c->x);
    vec_free(&c->y);
}

static bool explored(struct sides *m, int cell, struct trace *out)
{
    struct arena *a = arena_open("climb");
    const struct store_cell *c = &m->cells[cell];
    struct record *records;
    int n;
    bool fine = store_records(m->s, a, cell, -1, 0, &records, &n, m->err);
    if (fine) {
        struct curve curve = curve_network(a, records, n, NULL, c->ntasks, CURVE_WALL);
        for (int i = 0; i < curve.n; i++)
            add(out, curve.points[i].at, curve.points[i].value);
        if (curve.n)
            add(out, c->elapsed_s, curve.points[curve.n - 1].value);
    }
    arena_close(a);
    return fine;
}

/* One descent: from the seed's time down; the clock goes on by what its trials took. */
static bool descend(struct sides *m, struct arena *a, int cell, int task, double *clock, double *sum, struct trace *out)
{
    const struct store_task *t = &m->cells[cell].tasks[task];
    struct record seed, *records;
    int n;
    double best = INFINITY;
    if (t->seed_trial && !store_record(m->s, a, t->seed_trial, &seed, m->err))
        return false;
    if (!store_records(m->s, a, cell, task, 0, &records, &n, m->err))
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

static bool exploited(struct sides *m, int from, int cell, struct trace *out)
{
    struct side seeds = {0};
    if (!side_explored(m, from, side_seeds(&m->cells[cell]), &seeds))
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
        if (e->arms[i].explore && !arm_is_retime(&e->arms[i]))
            return &e->arms[i];
    return NULL;
}

/* A kernel without a valid record keeps a sum infinite; such points are not drawn. Seconds to milliseconds. */
static struct chart_series series_of(const struct trace *c, const char *name, int colour)
{
    for (int i = 0; i < c->y.n; i++)
        c->y.at[i] *= 1e3;
    return (struct chart_series){
        .name = name, .x = c->x.at, .y = c->y.at, .n = c->x.n, .colour = colour, .form = CHART_STEPS};
}

static int first_done(const struct sides *m, const char *network, const char *arm)
{
    for (int i = 0; i < m->ncells; i++)
        if (str_eq(m->cells[i].network, network) && str_eq(m->cells[i].arm, arm) && str_eq(m->cells[i].state, "done"))
            return i;
    return -1;
}

struct climb { /* what one chart shows */
    struct sides sides;
    struct arena *a;
    struct trace *traces;
    struct chart_series *series;
    int n, most;
};

/* The descents of one arm, a curve for each k. */
static bool add_arm(struct climb *c, const struct arm *arm, const char *network, int from)
{
    for (int i = 0; i < arm->nk; i++) {
        const char *name = arena_printf(c->a, "%s-%lld", arm->name, (long long)arm->k[i]);
        int cell = sides_cell(&c->sides, network, name, c->sides.cells[from].seed);
        if (cell < 0)
            continue;
        if (!exploited(&c->sides, from, cell, &c->traces[c->n]))
            return false;
        c->series[c->n] = series_of(&c->traces[c->n], name, 1 + (c->n - 1) % (CHART_COLOURS - 1));
        c->series[c->n].dashed = c->n % 2 == 0;
        c->n++;
    }
    return true;
}

static bool trace_all(struct climb *c, const struct experiment *e, const struct arm *first, const char *network,
                      int from)
{
    if (from < 0)
        return true;
    bool fine = explored(&c->sides, from, &c->traces[0]);
    c->series[c->n++] = series_of(&c->traces[0], first->explore, 0);
    c->series[0].bold = true;
    for (int i = 0; i < e->narms && fine; i++)
        if (e->arms[i].explore && str_eq(e->arms[i].explore, first->explore) && !arm_is_retime(&e->arms[i]))
            fine = add_arm(c, &e->arms[i], network, from);
    return fine;
}

bool climb_draw(const struct report *r, const char *network, struct text *t, struct err *err)
{
    const struct experiment *e = r->experiment;
    const struct arm *arm = descent_arm(e);
    struct climb c = {.a = arena_open("climb"), .most = 1};
    for (int i = 0; i < e->narms; i++)
        c.most += e->arms[i].nk;
    c.traces = ARENA_ARRAY(c.a, struct trace, c.most);
    c.series = ARENA_ARRAY(c.a, struct chart_series, c.most);
    bool fine = sides_open(&c.sides, c.a, r->store, err);
    int from = fine && arm ? first_done(&c.sides, network, arm->explore) : -1;
    fine = fine && trace_all(&c, e, arm, network, from);
    const char *seed = from < 0 ? "" : arena_printf(c.a, ", seed %lld", (long long)c.sides.cells[from].seed);
    struct chart chart = {.title = arena_printf(c.a, "%s: best so far over the wall clock%s", network, seed),
                          .x_label = "wall clock, s (log)",
                          .y_label = "sum of the best kernels, ms (log)",
                          .x_log = true,
                          .y_log = true,
                          .series = c.series,
                          .n = c.n};
    if (fine)
        chart_draw(&chart, t);
    for (int i = 0; i < c.most; i++)
        drop(&c.traces[i]);
    arena_close(c.a);
    return fine;
}
