/* SPDX-License-Identifier: Apache-2.0 */
/* store_fixture: rows as the harness would write them. */
#include "tests/lib/store_fixture.h"

#include "harness/record/database.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const struct store_task TASKS[] = {
    {.spec = "a", .name = "a", .weight = 1, .flops = 1, .shared_cell = -1, .state = ""},
    {.spec = "b", .name = "b", .weight = 3, .flops = 1, .shared_cell = -1, .state = ""},
};

void fixture_cell(struct store_fixture *f, const char *network, const char *arm, int64_t seed, bool k_plus_one,
                  int64_t k)
{
    struct err err = {0};
    struct store_cell c = {.network = network,
                           .arm = arm,
                           .seed = seed,
                           .searcher = "s",
                           .searcher_settings = "",
                           .model = "",
                           .model_settings = "",
                           .scheduler = SCHEDULER_GRADIENT,
                           .trials = 8,
                           .batch = 4,
                           .explore_cell = f->home - 1,
                           .k = k,
                           .k_plus_one = k_plus_one,
                           .tasks = TASKS,
                           .ntasks = 2,
                           .state = ""};
    f->round = f->ordinal = 0;
    f->elapsed_s = 0;
    memset(f->of_task, 0, sizeof f->of_task);
    fixture_must(store_cell_put(f->s, f->cell, &c, &err), &err);
}

void fixture_begin(struct store_fixture *f, int task, int asked, double begin_s)
{
    struct err err = {0};
    struct store_round r = {.number = f->round, .task = task, .asked = asked, .begin_s = begin_s};
    fixture_must(store_round_begin(f->s, f->cell, &r, &err), &err);
}

void fixture_trial(struct store_fixture *f, int task, double ms, double cost_s, double wall_s)
{
    struct err err = {0};
    double t = ms * 1e-3 * f->scale;
    f->elapsed_s += wall_s;
    struct record r = {.cell = f->cell,
                       .task = task,
                       .round = f->round,
                       .ordinal = f->ordinal,
                       .task_ordinal = f->of_task[task]++,
                       .sample = {.outcome = ms > 0 ? OUTCOME_OK : OUTCOME_BUILD_FAILED,
                                  .nseconds = ms > 0 ? 3 : 0,
                                  .seconds = {0.9 * t, t, 1.1 * t},
                                  .cost_s = cost_s,
                                  .run_s = cost_s / 2,
                                  .verify_s = 0.1,
                                  .model_score = NAN},
                       .elapsed_s = f->elapsed_s,
                       .wall_s = wall_s};
    struct candidate c = {.hash = (uint64_t)(100 * f->cell + f->ordinal)};
    fixture_must(store_trial(f->s, &r, &c, &err), &err);
    f->id[f->ordinal++] = r.id;
}

void fixture_end(struct store_fixture *f, double end_s)
{
    struct err err = {0};
    fixture_must(store_round_end(f->s, f->cell, f->round++, &(struct store_spent){.end_s = end_s}, &err), &err);
}

void fixture_round(struct store_fixture *f, int task, double ms, double cost_s)
{
    fixture_begin(f, task, 1, f->elapsed_s);
    fixture_trial(f, task, ms, cost_s, 2 * cost_s);
    fixture_end(f, f->elapsed_s);
}

void fixture_done(struct store_fixture *f, double elapsed_s)
{
    struct err err = {0};
    fixture_must(
        store_cell_state(f->s, f->cell++, "done", elapsed_s, elapsed_s * (f->cpu_share > 0 ? f->cpu_share : 0.5), &err),
        &err);
}

void fixture_seeded(struct store_fixture *f, int task, int64_t seed_trial, int shared_cell)
{
    struct err err = {0};
    struct store_task t = {.seed_trial = seed_trial, .shared_cell = shared_cell, .state = "done"};
    fixture_must(store_task_state(f->s, f->cell, task, &t, &err), &err);
}

void fixture_again(struct store_fixture *f, int64_t id, int launch, double ms)
{
    struct database *d = store_database(f->s);
    struct err err = {0};
    char seconds[40] = "[]";
    if (ms > 0)
        snprintf(seconds, sizeof seconds, "[%.17g]", ms * 1e-3 * f->scale);
    fixture_must(
        database_run(d, &err,
                     "INSERT INTO duel SELECT (SELECT count(*) FROM duel), network, seed, task, 0 FROM trial JOIN cell"
                     " USING(cell) WHERE id = ?1 AND NOT EXISTS(SELECT 1 FROM duel d WHERE d.network = cell.network AND"
                     " d.seed = cell.seed AND d.task = trial.task)",
                     "i", id) &&
            database_run(d, &err,
                         "INSERT INTO duel_program SELECT d.duel, (SELECT count(*) FROM duel_program p WHERE p.duel ="
                         " d.duel), t.id, t.hash FROM trial t JOIN cell c USING(cell) JOIN duel d ON d.network ="
                         " c.network AND d.seed = c.seed AND d.task = t.task WHERE t.id = ?1 AND NOT EXISTS(SELECT 1"
                         " FROM duel_program WHERE trial = ?1)",
                         "i", id) &&
            database_run(d, &err,
                         "INSERT INTO duel_launch SELECT duel, ?2, place, 0, 'r', '[]', ?3, '', ?4, 0 FROM duel_program"
                         " WHERE trial = ?1",
                         "inss", id, launch, outcome_word(ms > 0 ? OUTCOME_OK : OUTCOME_CRASHED), seconds),
        &err);
}

const struct store_campaign fixture_campaign = {.stem = "t",
                                                .tier = "",
                                                .experiment_hash = "h",
                                                .target = "fake",
                                                .target_settings = "",
                                                .machine = "host",
                                                .regime = "",
                                                .is_virtual = true,
                                                .revision = "",
                                                .environment = "{}"};

struct store *fixture_open(const char *dir)
{
    struct store *s;
    struct err err = {0};
    fixture_must(store_open(dir, &fixture_campaign, STORE_NEW, &s, &err), &err);
    return s;
}
