/* SPDX-License-Identifier: Apache-2.0 */
/* roofline: bounds and assignments. With one number a side an assignment exists exactly when the sorted times are
 * nowhere below the sorted bounds; taking away a row and a kernel leaves the question of the same kind. */
#include "harness/released/droplet/roofline.h"

#include "harness/base/text.h"
#include "harness/stats/rank.h"

#include <math.h>
#include <stdlib.h>

double roofline_seconds(const struct machine *m, const struct task *t)
{
    double bytes = 0, flops = fmax(t->flops, 0), seconds = 0;
    for (int i = 0; i < t->nargs; i++)
        bytes += 4.0 * (double)task_arg_elements(t, i);
    if (str_starts(t->spec, "conv2d") || str_starts(t->spec, "winograd"))
        flops /= 4;
    if (m->peak_gflops > 0)
        seconds = flops / (1e9 * m->peak_gflops);
    if (m->memory_gb_s > 0 && bytes > 2 * 1048576 * m->cache_mib)
        seconds = fmax(seconds, bytes / (1e9 * m->memory_gb_s));
    return seconds;
}

/* Sorted times (descending order of indices) against sorted bounds, without row i and kernel j (-1: with all). */
static bool fits(const double *times, const int *by_time, const double *bounds, const int *by_bound, int n, int i,
                 int j)
{
    for (int a = 0, b = 0; a < n && b < n; a++, b++) {
        a += a == i;
        b += b == j;
        if (a < n && b < n && times[by_time[a]] < bounds[by_bound[b]])
            return false;
    }
    return true;
}

bool roofline_least(const double *times, const double *bounds, int n, double *least)
{
    int *by_time = calloc((size_t)n + 1, sizeof *by_time), *by_bound = calloc((size_t)n + 1, sizeof *by_bound);
    bool possible = by_time && by_bound;
    if (possible) {
        rank_order(times, n, true, by_time);
        rank_order(bounds, n, true, by_bound);
        possible = fits(times, by_time, bounds, by_bound, n, -1, -1);
    }
    for (int i = 0; possible && i < n; i++) {
        int low = 0, high = n - 1; /* the least bound is that of the last kernel that may go: larger ones may go too */
        while (low < high) {
            int middle = (low + high + 1) / 2;
            if (fits(times, by_time, bounds, by_bound, n, i, middle))
                low = middle;
            else
                high = middle - 1;
        }
        least[by_time[i]] = bounds[by_bound[low]];
    }
    free(by_time);
    free(by_bound);
    return possible;
}
