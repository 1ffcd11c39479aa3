/* SPDX-License-Identifier: Apache-2.0 */
/* power: without results the spread is the documented one; widths by the t-table; a budget buys whole seeds. With
 * results: tests/cli/cli.sh looks at a campaign. */
#include "harness/report/data/power.h"

#include "harness/stats/t_test.h"
#include "tests/lib/fixture.h"
#include "tests/lib/tap.h"

#include <math.h>

/* The six repeated cells of lac-dcc/bennu. */
static void test_assumed(void)
{
    static const double FIRST[] = {0.995, 1.017, 0.869, 0.965, 0.588, 0.659};
    static const double AGAIN[] = {0.99, 1.01, 1.92, 0.97, 1.14, 0.87};
    double off[6];
    for (int i = 0; i < 6; i++)
        off[i] = fabs(log(FIRST[i] / AGAIN[i]));
    for (int i = 0; i < 6; i++) /* the median of six: the mean of the third and fourth */
        for (int j = 0; j < i; j++)
            if (off[i] < off[j]) {
                double kept = off[i];
                off[i] = off[j];
                off[j] = kept;
            }
    is_near(1.4826 * (off[2] + off[3]) / 2 / sqrt(2), POWER_ASSUMED, 0.02,
            "the assumed spread is what those cells say");
}

int main(void)
{
    static struct plan_task tasks[10];
    static struct cell_plan cells[40];
    for (int i = 0; i < 40; i++)
        cells[i] = (struct cell_plan){.tasks = tasks, .ntasks = 10, .trials = 100, .explore_cell = -1};
    struct experiment e = {.stem = "t", .nnetworks = 4, .nreplicated = 4, .seeds = 10};
    e.plan.cells = cells;
    e.plan.ncells = 40;
    e.plan.results_dir = "no such folder";
    struct power o;
    test_assumed();
    power_of(arena, &e, 2000, 0, &o);
    is_near(o.spread, POWER_ASSUMED, 0, "without results the spread is the assumed one");
    is_int(o.df, 0, "the assumed spread rests on no degree of freedom");
    is_near(o.network, 0.72 * POWER_ASSUMED, 0.01, "10 seeds make an interval of 0.72 spreads");
    is_near(o.mean, o.network / 2, 1e-14, "the mean of 4 networks has half of it");
    is_near(o.seed_s, 200, 1e-14, "2,000 s, for each of ten seeds");
    is_int(o.budget_seeds, 0, "without a budget no seeds are bought");
    /* Of 4 networks whose spreads differ (df_chance.h) 8 seeds have 15 degrees of freedom in 75 of 100 runs, 9 in 81,
     * and of 20 networks 3 in 77, 4 in 88 (another program's simulation). */
    is_int(o.kernel_seeds, 9, "a verdict on kernels takes the seeds that likely have 15 degrees of freedom");
    is_int(o.search_seeds, 9, "a wider tolerance does not need fewer degrees of freedom");
    e.nnetworks = e.nreplicated = 20;
    power_of(arena, &e, 2000, 0, &o);
    is_int(o.kernel_seeds, 4, "20 networks take four");
    e.nnetworks = e.nreplicated = 1;
    power_of(arena, &e, 2000, 0, &o);
    is_int(o.kernel_seeds, 16, "one network takes 16 seeds");
    e.nnetworks = e.nreplicated = 4;
    power_of(arena, &e, 2000, 1000, &o);
    is_int(o.budget_seeds, 5, "1,000 s buy five seeds");
    is_near(o.budget_network, 1.24 * POWER_ASSUMED, 0.01, "five seeds make an interval of 1.24 spreads");
    power_of(arena, &e, 2000, 250, &o);
    ok(o.budget_seeds == 1 && isinf(o.budget_mean), "one seed has no interval");
    e.nnetworks = 16;
    e.nreplicated = 10;
    e.seeds = 2;
    power_of(arena, &e, 2600, 0, &o);
    is_near(o.mean, t_test_quantile(0.95, 10) * POWER_ASSUMED * sqrt(11) / 16, 1e-12,
            "10 of 16 networks have two seeds: 10 degrees of freedom, and the squared error of 5 + 6 of 16");
    is_near(o.seed_s, 1600, 1e-9, "the second seed costs 10 of 16 parts of the first");
    return done_testing();
}
