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
    return forecast_cell(&p, 0, 1);
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
    struct regime patient = TVMC, brief = {.number = 1, .repeat = 3, .warmup = 1, .patience = 2};
    patient.patience = 2;
    ok(trial(large, &patient) < trial(large, &TVMC), "patience makes the trials of a slow kernel shorter");
    is_near(trial(small, &brief), trial(small, &(struct regime){.number = 1, .repeat = 3, .warmup = 1}), 1e-12,
            "a brief timing has nothing to spare");
    ok(trial(small, &timed) - trial(small, &TVMC) > 0.3, "three repeats of at least 100 ms are waited for");
    const struct plan_task both[] = {{.task = small, .weight = 1}, {.task = large, .weight = 5}};
    const struct cell_plan cell = {.tasks = both, .ntasks = 2, .explore_cell = -1};
    struct plan p = {.regime = TVMC, .target = "cpu", .target_settings = "", .cells = &cell, .ncells = 1};
    is_near(forecast_cell(&p, 0, 1), (trial(small, &TVMC) + trial(large, &TVMC)) / 2, 1e-9,
            "a cell's trial is the mean over its kernels, whatever their calls");
    double tvm = forecast_cell(&p, 0, 1);
    ok(forecast_cell(&p, 0, 2) < tvm && forecast_cell(&p, 0, 2) > tvm / 2, "a second core takes less time, not half");
    p.threads = 1;
    double apart = forecast_cell(&p, 0, 2);
    p.regime.overlap = true;
    p.target_settings = "overlap=yes";
    ok(forecast_cell(&p, 0, 2) < apart, "builds beside runs take less time");
    p.threads = 2;
    is_near(forecast_cell(&p, 0, 1), tvm, 1e-12, "one core has no room for them");
    p.target_settings = "";
    p.target_settings = "codegen=fast";
    ok(tvm > 1.5 * forecast_cell(&p, 0, 1), "a trial of codegen=tvm takes longer: its bad schedules are slow");
}

/* Descents from one seed under one set of conditions find each other's builds. */
static void test_found(const struct task *small)
{
    const struct plan_task one = {.task = small, .weight = 1};
    struct cell_plan cells[3] = {{.tasks = &one, .ntasks = 1, .explore_cell = -1}};
    const struct plan p = {.regime = TVMC, .target = "cpu", .target_settings = "", .cells = cells, .ncells = 3};
    for (int i = 1; i < 3; i++)
        cells[i] = (struct cell_plan){
            .tasks = &one, .ntasks = 1, .k = 10 * i, .usual_trials = 9, .near_seed = true, .conditions = ""};
    double alone = forecast_cell(&p, 1, 1);
    ok(alone < forecast_cell(&p, 0, 1), "a descent meets builds of the search that seeds it");
    cells[2].k = 10;
    ok(forecast_cell(&p, 1, 1) < 0.9 * alone, "with another from its seed it builds less");
    cells[2].conditions = "threads=1";
    is_near(forecast_cell(&p, 1, 1), alone, 1e-12, "under other conditions that other does not help");
}

/* Searches that end by themselves, and descents that serve two k. */
static void test_trials(const struct task *small)
{
    const struct plan_task two[] = {{.task = small, .weight = 1}, {.task = small, .weight = 1}};
    struct cell_plan cell = {.tasks = two, .ntasks = 2, .explore_cell = 0, .trials = 200};
    const struct plan p = {.regime = TVMC, .target = "cpu", .target_settings = "", .cells = &cell, .ncells = 1};
    is_int(forecast_trials(&p, 0), 200, "a search that does not end by itself makes all its trials");
    cell.usual_trials = 17;
    is_int(forecast_trials(&p, 0), 34, "one that does makes as many as it usually does, for each kernel");
    cell.share = true;
    is_int(forecast_trials(&p, 0), 27, "fewer trials are expected where others take its descents");
    cell.trials = 20;
    is_int(forecast_trials(&p, 0), 16, "no more trials are expected than there may be");
}

static double half_a_minute(const void *options, int64_t rounds, int64_t batch, int cores)
{
    (void)options;
    return rounds == 10 && batch == 10 && cores == 1 ? 30 : 0;
}

/* What a model takes in a search is spread over its trials; models are asked by the interface of model.h. */
static void test_model(const struct task *small)
{
    const struct plan_task one = {.task = small, .weight = 1};
    struct cell_plan cell = {.tasks = &one, .ntasks = 1, .explore_cell = -1};
    const struct plan p = {.regime = TVMC, .target = "cpu", .target_settings = "", .cells = &cell, .ncells = 1};
    cell.trials = 100;
    cell.batch = 10;
    double bare = forecast_cell(&p, 0, 1);
    cell.plug = &(struct model){.search_s = half_a_minute};
    is_near(forecast_cell(&p, 0, 1), bare + 0.3, 1e-9, "training of 30 s makes each of 100 trials 0.3 s longer");
}

/* Seconds of so many rounds of ten, by the model's own account. */
static double search_on(int cores, int64_t rounds, const char *name, const char *settings)
{
    void *options;
    struct err err = {0};
    const struct model *m = fixture_model(name);
    fixture_must(setting_options(arena, m->settings, m->options_size, settings, &options, &err), &err);
    return m->search_s(options, rounds, 10, cores);
}

static double search_s(const char *name, const char *settings)
{
    return search_on(1, 15, name, settings);
}

static void test_networks(void)
{
    double round_s = search_s("pacm", "update=never") / 15, epoch_s = 0.00013;
    ok(round_s > 0.05 && round_s < 5, "a model that never learns takes time to score");
    is_near(search_s("pacm", "") - 15 * round_s, 50 * epoch_s * 1200, 1e-9,
            "a fit after each of 15 rounds sees 10, 20, ... 150 records for 50 epochs");
    is_near(search_s("moa", "") - 15 * round_s, 50 * epoch_s * (10 + 40 + 80 + 120), 1e-9,
            "moa is trained first and then after every fourth round");
#ifdef HAVE_XGBOOST
    is_near(search_on(8, 99, "xgb", ""), search_on(1, 99, "xgb", ""), 1e-9, "xgb fits few programs on one thread");
    double late = search_on(1, 200, "xgb", "") - search_on(1, 100, "xgb", "");
    ok(search_on(8, 200, "xgb", "") - search_on(8, 100, "xgb", "") < 0.8 * late,
       "xgb fits many programs on half of the cores");
    is_near(search_on(8, 200, "xgb", "threads=1"), search_on(1, 200, "xgb", ""), 1e-9,
            "xgb fits many programs on one thread where threads=1");
#else
    skip("no XGBoost in this build", "more cores shorten its fits on many programs");
#endif
}

static void test_plan(const struct task *small, const struct task *large)
{
    struct plan_task tasks[] = {{.task = small, .weight = 1}, {.task = large, .weight = 1}};
    struct cell_plan cells[] = {{.tasks = tasks, .ntasks = 2, .explore_cell = -1},
                                {.tasks = tasks, .ntasks = 2, .explore_cell = 0},
                                {.tasks = tasks, .ntasks = 2, .explore_cell = 0}};
    struct plan p = {.cells = cells, .ncells = 1, .retime_regime = TVMC};
    ok(forecast_retiming(&p, 1, 1, true) == 0, "without duels there is no re-timing");
    p.duels = (struct duel_rules){.min_launches = 5, .max_launches = 5, .slice_calls = 1};
    double five = forecast_retiming(&p, 1, 1, true);
    p.duels.min_launches = p.duels.max_launches = 6;
    double launch = forecast_retiming(&p, 1, 1, true) - five;
    ok(launch > 0 && five > 5 * launch, "the first launch comes with the counted run and the references");
    p.duels.min_launches = p.duels.max_launches = 7;
    is_near(forecast_retiming(&p, 1, 1, true), five + 2 * launch, 1e-9,
            "the counted run and the references are made once");
    p.duels.max_launches = 30;
    is_near(forecast_retiming(&p, 1, 1, true), five + 25 * launch, 1e-9, "there are at most the most launches");
    double third = forecast_retiming(&p, 1, 1, false);
    ok(third > five + 7 * launch && third < five + 12 * launch, "expected is a third of the way there");
    p.duels.min_launches = p.duels.max_launches = 6;
    p.retime_top = 3;
    is_near(forecast_retiming(&p, 1, 1, true), five + launch + 2 * 7 * launch, 1e-9,
            "three retimed programs of a kernel take three times as long");
    p.ncells = 2;
    is_near(forecast_retiming(&p, 1, 1, true), five + launch + (2 + 4) * 7 * launch, 1e-9,
            "a descent has its seed beside its retimed programs, and the references of its network are there");
    is_near(forecast_retiming(&p, 1, 1, false), five + launch + (2 + 2) * 7 * launch, 1e-9,
            "half of a descent's programs are expected to be others'");
    p.retime_top = 1;
    cells[1].keys = (struct cell_keys){.searcher = "remeasure", .explore_cell = 0, .conditions = "layout=1"};
    cells[2] = cells[1];
    cells[2].conditions = "layout=1, regime number=3";
    double alone = forecast_retiming(&p, 1, 1, true);
    p.ncells = 3;
    is_near(forecast_retiming(&p, 1, 1, true), alone, 1e-9,
            "a seed that is measured again under another regime is the same program");
    cells[2].conditions = "layout=1, threads=2";
    is_near(forecast_retiming(&p, 1, 1, true), alone + 7 * launch, 1e-9,
            "a seed that is measured again under other conditions is one program more");
    is_near(forecast_retiming(&p, 1, 2, true), 2 * (alone + 7 * launch), 1e-9,
            "at pace 2 they take twice as long as at pace 1");
    p.duels.minutes = 1e-3;
    is_near(forecast_retiming(&p, 1, 1, true), 0.06, 1e-9, "the duels' minutes end them");
}

int main(void)
{
    const struct task *small = fixture_task(arena, "dense ci=64 co=64");
    const struct task *large = fixture_task(arena, "dense n=512 ci=4096 co=4096");
    test_trial(small, large);
    test_plan(small, large);
    test_found(small);
    test_trials(small);
    test_model(small);
    test_networks();
    double pace = forecast_pace();
    ok(pace > 0.1 && pace < 100, "this core's pace is within reason: %.2f", pace);
    ok(forecast_pace() == pace, "the pace is measured once");
    return done_testing();
}
