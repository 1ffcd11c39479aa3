/* SPDX-License-Identifier: Apache-2.0 */
/* forecast: an expectation has no truth to be held against but the right order of magnitude, and it follows the
 * kernels, the regime and the plan as it should. */
#include "harness/tune/forecast.h"

#include "tests/lib/fixture.h"
#include "tests/lib/tap.h"

static const struct regime TVMC = {.number = 10, .repeat = 3, .warmup = 1};

static double trial(const struct task *t, const struct regime *r)
{
    const struct plan_task one = {.task = t, .weight = 1};
    const struct cell_plan cell = {.tasks = &one, .ntasks = 1, .explore_cell = -1};
    const struct plan p = {.regime = *r, .target = "cpu", .target_settings = "", .cells = &cell, .ncells = 1};
    return forecast_cell(&p, 0);
}

static void test_trial(const struct task *small, const struct task *large)
{
    struct regime longer = TVMC, timed = TVMC;
    longer.repeat = 6;
    timed.min_repeat_ms = 100;
    ok(trial(small, &TVMC) > 0.01 && trial(small, &TVMC) < 1,
       "a trial of a small kernel takes between 10 ms and a second");
    ok(trial(large, &TVMC) > 3 * trial(small, &TVMC), "a trial with much more arithmetic takes much longer");
    struct regime longest = TVMC;
    longest.repeat = 9;
    double three = trial(large, &longer) - trial(large, &TVMC);
    ok(three > 0.8 * trial(large, &TVMC), "twice the repeats nearly double what a trial of a large kernel takes");
    is_near(trial(large, &longest) - trial(large, &longer), three, 1e-9, "each further repeat takes the same time");
    ok(trial(small, &timed) - trial(small, &TVMC) > 0.3, "three repeats of at least 100 ms are waited for");
    const struct plan_task both[] = {{.task = small, .weight = 1}, {.task = large, .weight = 5}};
    const struct cell_plan cell = {.tasks = both, .ntasks = 2, .explore_cell = -1};
    struct plan p = {.regime = TVMC, .target = "cpu", .target_settings = "", .cells = &cell, .ncells = 1};
    is_near(forecast_cell(&p, 0), (trial(small, &TVMC) + trial(large, &TVMC)) / 2, 1e-9,
            "a cell's trial is the mean over its kernels, whatever their calls");
    double tvm = forecast_cell(&p, 0);
    p.target_settings = "codegen=fast";
    ok(tvm > 1.5 * forecast_cell(&p, 0), "a trial of codegen=tvm takes longer: its bad schedules are slow");
}

/* What a model takes in a search is spread over its trials; models are asked by the interface of model.h. */
static void test_model(const struct task *small)
{
    const struct plan_task one = {.task = small, .weight = 1};
    struct cell_plan cell = {.tasks = &one, .ntasks = 1, .explore_cell = -1};
    const struct plan p = {.regime = TVMC, .target = "cpu", .target_settings = "", .cells = &cell, .ncells = 1};
    cell.trials = 100;
    double bare = forecast_cell(&p, 0);
    cell.model_s = 30;
    is_near(forecast_cell(&p, 0), bare + 0.3, 1e-9, "training of 30 s makes each of 100 trials 0.3 s longer");
}

/* Seconds of 15 rounds of ten, by the model's own account. */
static double search_s(const char *name, const char *settings)
{
    void *options;
    struct err err = {0};
    const struct model *m = fixture_model(name);
    fixture_must(setting_options(arena, m->settings, m->options_size, settings, &options, &err), &err);
    return m->search_s(options, 15, 10);
}

static void test_networks(void)
{
    double round_s = search_s("pacm", "update=never") / 15, epoch_s = 0.00013;
    ok(round_s > 0.05 && round_s < 5, "a model that never learns takes time to score");
    is_near(search_s("pacm", "") - 15 * round_s, 50 * epoch_s * 1200, 1e-9,
            "a fit after each of 15 rounds sees 10, 20, ... 150 records for 50 epochs");
    is_near(search_s("moa", "") - 15 * round_s, 50 * epoch_s * (10 + 40 + 80 + 120), 1e-9,
            "moa is trained first and then after every fourth round");
}

static void test_plan(const struct task *small, const struct task *large)
{
    struct plan_task tasks[] = {{.task = small, .weight = 1}, {.task = large, .weight = 1}};
    struct cell_plan cells[] = {{.tasks = tasks, .ntasks = 2, .explore_cell = -1},
                                {.tasks = tasks, .ntasks = 2, .explore_cell = 0},
                                {.tasks = tasks, .ntasks = 2, .explore_cell = 0}};
    struct plan p = {.cells = cells, .ncells = 1, .retime_regime = TVMC};
    ok(forecast_retiming(&p) == 0, "without duels there is no re-timing");
    p.duels = (struct duel_rules){.min_launches = 5, .max_launches = 5, .slice_calls = 1};
    double five = forecast_retiming(&p);
    p.duels.min_launches = p.duels.max_launches = 6;
    double launch = forecast_retiming(&p) - five;
    ok(launch > 0 && five > 5 * launch, "the first launch comes with the counted run and the references");
    p.duels.min_launches = p.duels.max_launches = 7;
    is_near(forecast_retiming(&p), five + 2 * launch, 1e-9, "the counted run and the references are made once");
    p.duels.max_launches = 30;
    is_near(forecast_retiming(&p), five + 9 * launch, 1e-9, "middling noise takes twice the least number of launches");
    p.duels.min_launches = p.duels.max_launches = 6;
    p.retime_top = 3;
    is_near(forecast_retiming(&p), five + launch + 2 * 7 * launch, 1e-9,
            "three retimed programs of a kernel take three times as long");
    p.ncells = 2;
    is_near(forecast_retiming(&p), five + launch + (2 + 4) * 7 * launch, 1e-9,
            "a descent has its seed beside its retimed programs, and the references of its network are there");
    p.retime_top = 1;
    cells[1].keys = (struct cell_keys){.searcher = "remeasure", .explore_cell = 0, .conditions = "layout=1"};
    cells[2] = cells[1];
    cells[2].conditions = "layout=1, regime number=3";
    double alone = forecast_retiming(&p);
    p.ncells = 3;
    is_near(forecast_retiming(&p), alone, 1e-9,
            "a seed that is measured again under another regime is the same program");
    cells[2].conditions = "layout=1, threads=2";
    is_near(forecast_retiming(&p), alone + 7 * launch, 1e-9,
            "a seed that is measured again under other conditions is one program more");
    p.duels.minutes = 1e-3;
    is_near(forecast_retiming(&p), 0.06, 1e-9, "the duels' minutes end them");
}

int main(void)
{
    const struct task *small = fixture_task(arena, "dense ci=64 co=64");
    const struct task *large = fixture_task(arena, "dense n=512 ci=4096 co=4096");
    test_trial(small, large);
    test_plan(small, large);
    test_model(small);
    test_networks();
    return done_testing();
}
