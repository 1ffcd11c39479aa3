/* SPDX-License-Identifier: Apache-2.0 */
/* shift: against all orders of a short row, its size without a change, and steps and slopes that are known. */
#include "harness/stats/change_point.h"
#include "tests/lib/random_data.h"
#include "tests/lib/tap.h"

#include <math.h>

enum { SHORT = 7 };

/* The statistic again, from its definition: for each split the mean rank before against that of any order. */
static double stands_out(const double *v, int n, int least)
{
    double best = -1;
    for (int k = least; k <= n - least; k++) {
        double sum = 0;
        for (int i = 0; i < k; i++) {
            double rank = 0.5;
            for (int j = 0; j < n; j++)
                rank += v[j] < v[i] ? 1 : v[j] == v[i] ? 0.5 : 0;
            sum += rank;
        }
        best = fmax(best, fabs(sum - k * (n + 1) / 2.0) / sqrt(k * (n - k) * (n + 1) / 12.0));
    }
    return best;
}

static void count_orders(double *v, int done, double seen, int *far, int *all)
{
    if (done == SHORT) {
        *far += stands_out(v, SHORT, 2) >= seen - 1e-9;
        ++*all;
        return;
    }
    for (int i = done; i < SHORT; i++) {
        double t = v[done];
        v[done] = v[i], v[i] = t;
        count_orders(v, done + 1, seen, far, all);
        t = v[done];
        v[done] = v[i], v[i] = t;
    }
}

static void test_orders(void)
{
    static const double ROWS[][SHORT] = {
        {1, 2, 1.5, 1.2, 8, 9, 7}, {3, 1, 2, 3, 1, 2, 3}, {1, 1, 1, 2, 2, 2, 2}, {5, 6, 4, 7, 3, 8, 2}};
    for (size_t r = 0; r < sizeof ROWS / sizeof *ROWS; r++) {
        double v[SHORT];
        int far = 0, all = 0;
        for (int i = 0; i < SHORT; i++)
            v[i] = ROWS[r][i];
        count_orders(v, 0, stands_out(v, SHORT, 2), &far, &all);
        struct change_point s = change_point_of(ROWS[r], SHORT, 2);
        ok(fabs(s.p - (double)far / all) < 0.03, "the p of row %zu, %.3f, is near the share among all %d orders, %.3f",
           r, s.p, all, (double)far / all);
    }
    struct change_point s = change_point_of(ROWS[0], SHORT, 2);
    is_int(s.at, 4, "the change point is found where the step is");
    is_near(s.ratio, cbrt(8 * 9 * 7.0) / pow(1 * 2 * 1.5 * 1.2, 0.25), 1e-12,
            "the ratio is that of the geometric means after and before the step");
    is_near(change_point_of(ROWS[0], SHORT, 2).p, s.p, 0, "two calls give the same p");
    s = change_point_of(ROWS[0], SHORT, 4);
    ok(s.at == 0 && isnan(s.p) && isnan(s.ratio), "7 levels, with 4 wanted on either side, give no change point");
}

/* Rows of 28 nights with 1 % noise, a step at night 14 and a slope a night: how many have p < 0.05, and 0.002. */
static void count_found(double step, double slope, int runs, int *likely, int *sure, double *where)
{
    *likely = *sure = 0;
    *where = 0;
    for (int r = 0; r < runs; r++) {
        struct rng rng;
        double v[28];
        rng_seed(&rng, 4000 + (uint64_t)r);
        random_data_ratios(&rng, 0, 0.01, v, 28);
        for (int i = 0; i < 28; i++)
            v[i] *= (i >= 14 ? 1 + step : 1) * pow(1 + slope, i);
        struct change_point s = change_point_of(v, 28, 7);
        *likely += s.p < 0.05;
        *sure += s.p < 0.002;
        *where += (double)s.at / runs;
    }
}

static void test_rates(void)
{
    double where;
    int likely, sure;
    count_found(0, 0, 800, &likely, &sure, &where);
    ok(random_data_agrees(likely, 800, 0.05, 0), "without a change, p < 0.05 in 5 %% of the rows (%d of 800)", likely);
    ok(random_data_agrees(sure, 800, 0.002, 0), "without a change, p < 0.002 in 0.2 %% of the rows (%d of 800)", sure);
    count_found(0.03, 0, 100, &likely, &sure, &where);
    ok(sure == 100, "a step of 3 %%, the least that may alarm, is found every time (%d of 100)", sure);
    ok(fabs(where - 14) < 0.2, "the step is found at its own night on average (%.2f, truth 14)", where);
    count_found(0, 0.002, 100, &likely, &sure, &where);
    ok(sure >= 98, "getting 0.2 %% slower every night is found (%d of 100)", sure);
}

int main(void)
{
    test_orders();
    test_rates();
    return done_testing();
}
