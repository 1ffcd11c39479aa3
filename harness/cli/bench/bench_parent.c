/* SPDX-License-Identifier: Apache-2.0 */
/* bench_parent: the most memory that the parent of a campaign holds. Searching and training are real, the machine is
 * target fake: the parent's part does not depend on it. The peak is Linux's VmHWM, set back before the campaign where
 * the kernel allows it, so that other gauges of the same process do not count. */
#include "harness/base/file.h"
#include "harness/cli/bench/gauges.h"
#include "harness/tune/campaign.h"

#include <stdio.h>
#include <stdlib.h>

enum { TRIALS = 512, KERNELS = 4 };

static void reset_peak(void)
{
    FILE *f = fopen("/proc/self/clear_refs", "w");
    if (!f)
        return;
    fputs("5", f);
    fclose(f);
}

static bool peak_mib(double *out, struct err *err)
{
    FILE *f = fopen("/proc/self/status", "r");
    char line[200];
    *out = 0;
    while (f && fgets(line, sizeof line, f))
        if (str_starts(line, "VmHWM:"))
            *out = strtod(line + 6, NULL) / 1024;
    if (f)
        fclose(f);
    return *out > 0 || err_set(err, "the kernel does not tell VmHWM in /proc/self/status");
}

static bool make_plan(struct bench_env *b, const char *folder, struct plan *out, struct err *err)
{
    const struct task **kernels;
    int n;
    if (!gauge_kernels(b, &kernels, &n, err))
        return false;
    struct plan_task *rows = ARENA_ARRAY(b->arena, struct plan_task, n);
    for (int i = 0; i < n; i++)
        rows[i] = (struct plan_task){.task = kernels[i], .weight = 1};
    *out = gauge_plan(
        b, folder,
        (struct cell_plan){
            .network = "resnet18", .seed = 1, .tasks = rows, .ntasks = n < KERNELS ? n : KERNELS, .trials = TRIALS});
    out->stem = "bench memory";
    out->target = "fake";
    return regime_named("tvm", &out->regime, err) && regime_named("retime", &out->retime_regime, err);
}

bool bench_parent(struct bench_env *b, struct reading *out, struct err *err)
{
    struct plan plan;
    const char *folder;
    struct campaign_options o = {.faults = "", .revision = "", .versions = ""};
    double mib;
    if (!gauge_folder(b, &folder, err))
        return false;
    reset_peak();
    bool fine =
        make_plan(b, folder, &plan, err) && campaign_run(b->cli->registry, &plan, &o, err) && peak_mib(&mib, err);
    gauge_folder_remove(b, folder);
    if (fine)
        reading_add(out, mib);
    out->about = arena_printf(b->arena, "peak of resident memory in a campaign of %d trials, ansor and xgb", TRIALS);
    return fine;
}
