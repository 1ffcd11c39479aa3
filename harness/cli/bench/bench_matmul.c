/* SPDX-License-Identifier: Apache-2.0 */
/* bench_matmul: what the cores can do at most, and which share of it the best matmul 512x512x512 of a short search
 * reaches, its winner timed again in fresh processes. */
#include "harness/cli/bench/best_program.h"
#include "harness/cli/bench/gauges.h"
#include "harness/measure/worker.h"
#include "harness/stats/summary.h"

enum { PEAK_READINGS = 5, LAUNCHES = 12, TRIALS = 200 };

/* FLOP/s of target cpu with that many threads. */
static bool take_peak(struct bench_env *b, int threads, struct reading *out, struct err *err)
{
    struct meter m = {0};
    if (!meter_open(b, threads, &m, err))
        return false;
    for (int i = 0; i < PEAK_READINGS; i++)
        reading_add(out, meter_flops(&m) / 1e9);
    meter_close(&m);
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

static bool take_matmul(struct bench_env *b, int threads, struct reading *out, struct err *err)
{
    struct best_program h = {.trials = b->trials ? b->trials : TRIALS, .seed = 1, .threads = threads};
    struct task *task;
    if (!task_parse(b->arena, "matmul n=512 m=512 k=512", &task, err))
        return false;
    h.task = task;
    if (!best_program_run(b, &h, err) || !best_program_time(b, &h, 1, LAUNCHES, NULL, err))
        return false;
    for (int i = 0; i < h.n; i++)
        if (h.peak[i] > 0)
            reading_add(out, best_program_share(&h, i));
    out->number = best_program_best_share(&h);
    out->about =
        arena_printf(b->arena,
                     "best of %lld trials, weights packed: fastest repeat over the highest peak (%.1f GFLOP/s), "
                     "%d thread%s; one reading a fresh process, over the peak of its moment",
                     (long long)h.trials, summary_of(h.peak, h.n).max / 1e9, threads, threads > 1 ? "s" : "");
    return true;
}

bool bench_matmul_one(struct bench_env *b, struct reading *out, struct err *err)
{
    return take_matmul(b, 1, out, err);
}

bool bench_matmul_all(struct bench_env *b, struct reading *out, struct err *err)
{
    return take_matmul(b, b->cores, out, err);
}
