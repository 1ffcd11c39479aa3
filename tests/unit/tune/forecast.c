/* SPDX-License-Identifier: Apache-2.0 */
/* forecast: the expected cost of a trial is that which results/table3/short of revision e1b0dd2 measured (two AVX-512
 * cores, regime tvmc), and it follows the regime and the plan. */
#include "harness/tune/forecast.h"

#include "harness/experiment/network.h"
#include "tests/lib/tap.h"

static const struct regime TVMC = {.number = 10, .repeat = 3, .warmup = 1};

/* Search seconds over trials of the arm 'ansor', results/table3/short/report.txt of that revision. */
static void test_measured(struct arena *a)
{
    static const struct {
        const char *network;
        double seconds;
        int trials;
    } RUNS[] = {{"alexnet", 304.3, 1040}, {"resnet18", 291.8, 1520}, {"mobilenet_v2", 218.8, 2640}};
    for (int i = 0; i < 3; i++) {
        struct network *n;
        struct err err = {0};
        if (!network_load(a, "experiments", RUNS[i].network, &n, &err)) {
            fail("%s", err.text);
            continue;
        }
        struct cell_plan cell = {.tasks = n->tasks, .ntasks = n->nkernels, .explore_cell = -1};
        is_near(forecast_cell(&cell, &TVMC), RUNS[i].seconds / RUNS[i].trials, 0.15, "%s", RUNS[i].network);
    }
}

static void test_plan(struct arena *a)
{
    struct task *small, *large;
    struct err err = {0};
    if (!task_parse(a, "dense ci=64 co=64", &small, &err) ||
        !task_parse(a, "dense n=512 ci=4096 co=4096", &large, &err)) {
        fail("%s", err.text);
        return;
    }
    struct regime longer = TVMC, timed = TVMC;
    longer.repeat = 6;
    timed.min_repeat_ms = 100;
    ok(forecast_trial(large, &TVMC) > forecast_trial(small, &TVMC), "more arithmetic takes longer");
    ok(forecast_trial(large, &longer) > 1.8 * forecast_trial(large, &TVMC), "so do more repeats");
    ok(forecast_trial(small, &timed) > 0.3, "repeats of 100 ms are waited for");
    struct plan_task tasks[] = {{.task = small, .weight = 1}, {.task = large, .weight = 1}};
    struct cell_plan cells[] = {{.tasks = tasks, .ntasks = 2, .explore_cell = -1},
                                {.tasks = tasks, .ntasks = 2, .explore_cell = 0}};
    struct plan p = {.cells = cells, .ncells = 1, .retime_regime = TVMC};
    ok(forecast_winners(&p) == 0, "no shoot-out");
    ok(forecast_rehearsal(&p) == 0, "nor an A/A floor");
    p.launches = 1;
    double one = forecast_winners(&p);
    p.launches = 2;
    double launch = forecast_winners(&p) - one;
    is_near(launch, 2 * forecast_reading(&cells[0], &TVMC), 1e-9, "a launch has one reading of each winner");
    ok(one > 2 * launch, "the first also has the counted run and the references");
    p.launches = 3;
    is_near(forecast_winners(&p), one + 2 * launch, 1e-9, "which are made once");
    p.retime_top = 3;
    is_near(forecast_winners(&p), one + (2 + 8) * launch, 1e-9, "three finalists: so many programs");
    p.ncells = 2;
    is_near(forecast_winners(&p), one + (2 + 8 + 16) * launch, 1e-9,
            "a descent has a seed beside its finalists, and the references of its network");
    ok(forecast_rehearsal(&p) > 0, "both stages of the A/A floor");
    is_near(forecast_cell(cells, &TVMC), (forecast_trial(small, &TVMC) + forecast_trial(large, &TVMC)) / 2, 1e-9,
            "a cell's trial is the mean over its kernels");
}

int main(void)
{
    struct arena *a = arena_open("test");
    test_measured(a);
    test_plan(a);
    arena_close(a);
    return done_testing();
}
