/* SPDX-License-Identifier: Apache-2.0 */
/* bench_matmul: what the cores can do at most, and which share of it the best matmul 512x512x512 of a short search
 * reaches. The search is a campaign like any other (ansor, xgb, target cpu), in a folder of its own; its winner is
 * timed again in fresh processes, and those timings are the readings. */
#include "harness/cli/gauge.h"
#include "harness/measure/worker.h"
#include "harness/record/store.h"
#include "harness/tune/campaign.h"

enum { PEAK_READINGS = 5, LAUNCHES = 5, SEARCH_BATCH = 16 };

/* FLOP/s of target cpu with that many threads. */
static bool take_peak(struct bench_env *b, int threads, struct reading *out, struct err *err)
{
    const struct target *t = kit_target(b->cli->kit, "cpu", err);
    for (int i = 0; t && i < PEAK_READINGS; i++) {
        struct target_env env = {.threads = threads, .layout = LAYOUT_NONE};
        struct limits limits;
        void *self;
        if (!target_begin(t, "", b->arena, &env, &self, &limits, err))
            return false;
        reading_add(out, t->peak_flops(self) / 1e9);
        t->close(self);
    }
    if (!t)
        return false;
    for (int i = 0; i < out->n; i++)
        if (out->at[i] * 1e9 > b->peak[threads > 1])
            b->peak[threads > 1] = out->at[i] * 1e9;
    out->about = arena_printf(b->arena, "independent multiply-adds on the widest vectors, %d thread%s", threads,
                              threads > 1 ? "s" : "");
    return (out->n && out->at[0] > 0) || err_set(err, "target 'cpu' knows no peak of this processor");
}

bool bench_peak_one(struct bench_env *b, struct reading *out, struct err *err)
{
    return take_peak(b, 1, out, err);
}

bool bench_peak_all(struct bench_env *b, struct reading *out, struct err *err)
{
    return take_peak(b, b->cores, out, err);
}

static bool make_plan(struct bench_env *b, int threads, const char *folder, struct plan *out, struct err *err)
{
    struct task *task;
    struct plan_task *row = ARENA_NEW(b->arena, struct plan_task);
    struct cell_plan *cell = ARENA_NEW(b->arena, struct cell_plan);
    if (!task_parse(b->arena, "matmul n=512 m=512 k=512", &task, err))
        return false;
    *row = (struct plan_task){.task = task, .weight = 1};
    *cell = (struct cell_plan){.network = "matmul",
                               .arm = "ansor",
                               .seed = 1,
                               .tasks = row,
                               .ntasks = 1,
                               .searcher = "ansor",
                               .searcher_settings = "",
                               .model = "xgb",
                               .model_settings = "",
                               .trials = b->trials,
                               .batch = SEARCH_BATCH,
                               .scheduler = PLAN_GRADIENT,
                               .explore_cell = -1};
    *out = (struct plan){.stem = threads > 1 ? "bench matmul, all threads" : "bench matmul, one thread",
                         .tier = "",
                         .results_dir = folder,
                         .experiment_hash = "bench",
                         .target = "cpu",
                         .target_settings = "",
                         .machine = "host",
                         .threads = threads,
                         .layout = LAYOUT_REWRITTEN,
                         .input_seed = 1,
                         .final_launches = LAUNCHES,
                         .cells = cell,
                         .ncells = 1};
    return regime_named("tvm", &out->regime, err) && regime_named("final", &out->final_regime, err);
}

static bool read_winner(struct bench_env *b, const char *folder, double flops, double peak, struct reading *out,
                        struct err *err)
{
    struct store *s;
    struct record best;
    struct store_final *finals;
    int n;
    bool found;
    if (!store_open_read(folder, &s, err))
        return false;
    bool fine = store_best(s, b->arena, 0, 0, 0, &best, &found, err) &&
                (found || err_set(err, "no valid program was found")) &&
                store_finals(s, b->arena, best.id, &finals, &n, err);
    for (int i = 0; fine && i < n; i++)
        if (finals[i].sample.outcome == OUTCOME_OK)
            reading_add(out, flops / sample_mean(&finals[i].sample) / peak);
    store_close(s);
    return fine && (out->n || err_set(err, "the best program could not be timed again"));
}

static bool take_matmul(struct bench_env *b, int threads, struct reading *out, struct err *err)
{
    struct reading peaks = {0};
    struct plan plan;
    const char *folder;
    struct campaign_options o = {.faults = "", .revision = "", .versions = ""};
    if ((!b->peak[threads > 1] && !take_peak(b, threads, &peaks, err)) || !gauge_folder(b, &folder, err))
        return false;
    double peak = b->peak[threads > 1];
    bool fine = make_plan(b, threads, folder, &plan, err) && campaign_run(b->cli->kit, &plan, &o, err) &&
                read_winner(b, folder, plan.cells[0].tasks[0].task->flops, peak, out, err);
    gauge_sweep(b, folder);
    out->about = arena_printf(b->arena,
                              "best of %lld trials, weights packed, over a peak of %.1f GFLOP/s, %d thread%s; one "
                              "reading a fresh process",
                              (long long)b->trials, peak / 1e9, threads, threads > 1 ? "s" : "");
    return fine;
}

bool bench_matmul_one(struct bench_env *b, struct reading *out, struct err *err)
{
    return take_matmul(b, 1, out, err);
}

bool bench_matmul_all(struct bench_env *b, struct reading *out, struct err *err)
{
    return take_matmul(b, b->cores, out, err);
}
