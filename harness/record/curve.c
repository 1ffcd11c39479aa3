/* SPDX-License-Identifier: Apache-2.0 */
/* curve: one pass over the records; a point is kept only where the value falls, so a curve of 10,000 trials has some
 * hundred points. Failed records move the clock and nothing else. */
#include "harness/record/curve.h"

#include "harness/base/vec.h"

#include <math.h>
#include <string.h>

struct curve curve_network(struct arena *a, const struct record *records, int n, int ntasks)
{
    VEC(struct curve_point) points = {0};
    struct arena_mark mark = arena_mark(a);
    double *best = ARENA_ARRAY(a, double, ntasks);
    for (int t = 0; t < ntasks; t++)
        best[t] = INFINITY;
    for (int i = 0; i < n; i++) {
        int t = records[i].task;
        if (t < 0 || t >= ntasks)
            bug("record of task %d in a network of %d tasks", t, ntasks);
        double mean = sample_mean(&records[i].sample), sum = 0;
        if (!(mean < best[t]))
            continue;
        best[t] = mean;
        for (int j = 0; j < ntasks; j++)
            sum += best[j];
        if (isfinite(sum) && (!points.n || sum < vec_last(&points).value))
            vec_push(&points, (struct curve_point){.at = records[i].elapsed_s, .value = sum});
    }
    arena_release(a, mark);
    struct curve c = {.n = points.n, .points = ARENA_ARRAY(a, struct curve_point, points.n)};
    if (c.n)
        memcpy(c.points, points.at, sizeof *c.points * (size_t)c.n);
    vec_free(&points);
    return c;
}
