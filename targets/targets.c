/* SPDX-License-Identifier: Apache-2.0 */
/* targets: one declaration and one row per target and per collector. */
#include "targets/targets.h"

#include <stddef.h>

extern const struct target target_a64fx;
extern const struct target target_cpu;
extern const struct target target_cuda;
extern const struct target target_cuda_libraries;
extern const struct target target_fake;
extern const struct target target_imported;
extern const struct target target_onednn;
extern const struct target target_opencl;
extern const struct target target_replay;
extern const struct collector collector_cupti;
extern const struct collector collector_gpu_clocks;
extern const struct collector collector_gpu_counters;
extern const struct collector collector_papi;
extern const struct collector collector_wall;

const struct target *const *targets_table(void)
{
    static const struct target *const TABLE[] = {
#ifdef HAVE_LLVM
        &target_cpu,    &target_a64fx,
#endif
#ifdef HAVE_ONEDNN
        &target_onednn,
#endif
#ifdef HAVE_OPENCL
        &target_opencl,
#endif
        &target_cuda,   &target_cuda_libraries, &target_replay, &target_imported, &target_fake, NULL,
    };
    return TABLE;
}

const struct collector *const *collectors_table(void)
{
    static const struct collector *const TABLE[] = {
        &collector_wall,
#if defined(HAVE_PAPI) && defined(HAVE_LLVM)
        &collector_papi,
#endif
        &collector_gpu_clocks, &collector_cupti, &collector_gpu_counters, NULL, /* the profiler goes deepest: last */
    };
    return TABLE;
}
