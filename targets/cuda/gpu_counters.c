/* SPDX-License-Identifier: Apache-2.0 */
/* gpu_counters: the collector of hardware counters of the GPU, by CUPTI's range profiler: a pass of its own, since
 * every launch is replayed for it, of a few calls only. Sums over all launches. What the chip lacks, or the driver does
 * not permit, has its reason. Written from CUPTI's headers and its manual: the planning was run for chips from TU104 to
 * GH100, the counting only on a double (tests/doubles/cupti.c). */
#include "targets/cuda/gpu_counters.h"
#include "harness/plug/collector.h"
#include "targets/cuda/cuda_device.h"
#include "targets/gpu/gpu_program.h"

#include <stdio.h>
#include <string.h>

/* Metrics of Perfworks, as CUPTI lists them for compute capability 7.5 to 9.0. */
static const char *const METRICS[][2] = {
    {"gpu_cycles", "sm__cycles_elapsed.max"},
    {"gpu_active_cycles", "sm__cycles_active.sum"},
    {"gpu_instructions", "sm__inst_executed.sum"},
    {"gpu_fadd", "sm__sass_thread_inst_executed_op_fadd_pred_on.sum"},
    {"gpu_fmul", "sm__sass_thread_inst_executed_op_fmul_pred_on.sum"},
    {"gpu_ffma", "sm__sass_thread_inst_executed_op_ffma_pred_on.sum"},
    {"gpu_dram_read_bytes", "dram__bytes_read.sum"},
    {"gpu_dram_written_bytes", "dram__bytes_write.sum"},
    {"gpu_l2_sectors", "lts__t_sectors.sum"},
    {"gpu_l2_missed_sectors", "lts__t_sectors_lookup_miss.sum"},
    {"gpu_l1_sectors", "l1tex__t_sectors.sum"},
    {"gpu_bank_conflicts", "l1tex__data_bank_conflicts_pipe_lsu.sum"},
};
_Static_assert(sizeof METRICS / sizeof *METRICS == GPU_COUNTERS, "one name a counter");

void gpu_counters_metrics(struct profiler_metric out[GPU_COUNTERS])
{
    for (int i = 0; i < GPU_COUNTERS; i++)
        out[i] = (struct profiler_metric){.name = METRICS[i][1]};
}

struct gpu_counters {
    struct profiler_metric metrics[GPU_COUNTERS];
    struct range_profiler profiler;
};

static bool counters_open(void *self, struct err *err)
{
    struct gpu_counters *g = self;
    const struct cuda_device *d = cuda_device_current();
    memset(g, 0, sizeof *g);
    gpu_counters_metrics(g->metrics);
    if (!d)
        return err_set(err, "it counts in runs of target cuda only");
    return range_profiler_open(&g->profiler, d->number, d->context, g->metrics, GPU_COUNTERS, err);
}

static bool counters_start(void *self, struct err *err)
{
    struct gpu_counters *g = self;
    return range_profiler_start(&g->profiler, err);
}

static bool counters_stop(void *self, struct counter *out, int *n, struct err *err)
{
    struct gpu_counters *g = self;
    double sums[GPU_COUNTERS];
    int launches;
    if (!range_profiler_stop(&g->profiler, sums, &launches, err))
        return false;
    if (!launches)
        return err_set(err, "CUPTI has counted no launch");
    for (int i = 0, at = 0; i < GPU_COUNTERS; i++) {
        const struct profiler_metric *m = &g->metrics[i];
        out[i] = counter_of(METRICS[i][0], m->present ? sums[at++] : 0);
        out[i].present = m->present;
        if (!m->present)
            snprintf(out[i].reason, sizeof out[i].reason, "CUPTI has no %s for this GPU (%d)", m->name, m->status);
    }
    *n = GPU_COUNTERS;
    return true;
}

static void counters_close(void *self)
{
    struct gpu_counters *g = self;
    range_profiler_close(&g->profiler);
}

extern const struct collector collector_gpu_counters;
const struct collector collector_gpu_counters = {
    .name = "gpu_counters",
    .summary = "hardware counters of the GPU (instructions, bytes, cycles), by CUPTI's range profiler",
    .state_size = sizeof(struct gpu_counters),
    .most_calls = PROFILER_RANGES / GPU_KERNELS,
    .open = counters_open,
    .start = counters_start,
    .stop = counters_stop,
    .close = counters_close,
};
