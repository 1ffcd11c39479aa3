/* SPDX-License-Identifier: Apache-2.0 */
/* curve: one pass over the records; a point is kept only where the value falls, so a curve of 10,000 trials has some
 * hundred points. Failed records move the clock and nothing else. */
#include "harness/record/curve.h"

#include "harness/base/vec.h"

#include <math.h>
#include <string.h>

struct maker {
    VEC(struct curve_point) points;
    enum curve_clock clock;
    double cost, at;
};

static void advance(struct maker *m, const struct record *r, int count)
{
    m->cost += r->sample.cost_s;
    m->at = m->clock == CURVE_TRIALS ? count : m->clock == CURVE_WALL ? r->elapsed_s : m->cost;
}

static void point(struct maker *m, double value)
{
    if (!isfinite(value))
        return;
    if (m->points.n && !(value < vec_last(&m->points).value))
        return;
    vec_push(&m->points, (struct curve_point){.at = m->at, .value = value});
}

static struct curve finish(struct maker *m, struct arena *a)
{
    struct curve c = {.n = m->points.n, .end = m->at};
    c.points = ARENA_ARRAY(a, struct curve_point, c.n);
    if (c.n)
        memcpy(c.points, m->points.at, sizeof *c.points * (size_t)c.n);
    vec_free(&m->points);
    return c;
}

struct curve curve_task(struct arena *a, const struct record *records, int n, enum curve_clock clock)
{
    struct maker m = {.clock = clock};
    for (int i = 0; i < n; i++) {
        advance(&m, &records[i], i + 1);
        point(&m, sample_mean(&records[i].sample));
    }
    return finish(&m, a);
}

struct curve curve_network(struct arena *a, const struct record *records, int n, const double *weights, int ntasks,
                           enum curve_clock clock)
{
    struct arena_mark mark = arena_mark(a);
    double *best = ARENA_ARRAY(a, double, ntasks);
    for (int t = 0; t < ntasks; t++)
        best[t] = INFINITY;
    struct maker m = {.clock = clock};
    for (int i = 0; i < n; i++) {
        advance(&m, &records[i], i + 1);
        int t = records[i].task;
        if (t < 0 || t >= ntasks)
            bug("record of task %d in a network of %d tasks", t, ntasks);
        double mean = sample_mean(&records[i].sample), sum = 0;
        if (!(mean < best[t]))
            continue;
        best[t] = mean;
        for (int j = 0; j < ntasks; j++)
            sum += (weights ? weights[j] : 1) * best[j];
        point(&m, sum);
    }
    arena_release(a, mark);
    return finish(&m, a);
}

double curve_at(const struct curve *c, double at)
{
    double value = INFINITY;
    for (int i = 0; i < c->n && c->points[i].at <= at; i++)
        value = c->points[i].value;
    return value;
}

double curve_reach(const struct curve *c, double value)
{
    for (int i = 0; i < c->n; i++)
        if (c->points[i].value <= value)
            return c->points[i].at;
    return INFINITY;
}
