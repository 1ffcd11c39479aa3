/* SPDX-License-Identifier: Apache-2.0 */
/* bench_onednn: ResNet-18's convolutions, each after a search of its own, against oneDNN's with the same epilogue, the
 * layouts oneDNN likes best and weights packed ahead, on as many threads. Both are timed by the same code (targets cpu
 * and onednn) in fresh processes that take turns. */
#include "harness/cli/bench/best_program.h"
#include "harness/cli/bench/gauges.h"
#include "harness/stats/summary.h"

#include <string.h>

enum { TRIALS = 200, LAUNCHES = 7 };

bool bench_onednn(struct bench_env *b, struct reading *out, struct err *err)
{
    const struct task **kernels;
    int n;
    if (!registry_target(b->cli->registry, "onednn", NULL))
        return err_set(err, "this binary was built without oneDNN (Debian: libdnnl-dev)");
    if (!gauge_kernels(b, &kernels, &n, err))
        return false;
    struct best_program *searches = ARENA_ARRAY(b->arena, struct best_program, n);
    int found = 0;
    for (int i = 0; i < n; i++) {
        if (b->kernel && !strstr(kernels[i]->name, b->kernel))
            continue;
        struct best_program *h = &searches[found++];
        *h = (struct best_program){
            .task = kernels[i], .trials = b->trials ? b->trials : TRIALS, .seed = 1, .threads = b->cores};
        if (!best_program_run(b, h, err))
            return false;
    }
    if (!found)
        return err_set(err, "no kernel has '%s' in its name", b->kernel);
    if (!best_program_time(b, searches, found, LAUNCHES, "onednn", err))
        return false;
    for (int i = 0; i < found; i++)
        reading_pair(b, out,
                     (struct pair){.kernel = searches[i].task->name,
                                   .ours_ms = 1e3 * summary_of(searches[i].ours_s, searches[i].n).min,
                                   .theirs_ms = 1e3 * summary_of(searches[i].theirs_s, searches[i].n).min});
    out->about = arena_printf(b->arena,
                              "oneDNN's time over ours after %lld trials a kernel, %d threads; of each the fastest of "
                              "%d processes that took turns",
                              (long long)searches[0].trials, b->cores, LAUNCHES);
    return true;
}
