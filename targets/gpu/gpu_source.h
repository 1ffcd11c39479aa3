/* SPDX-License-Identifier: Apache-2.0 */
/* gpu_source: candidate -> lowered, verified, written as source: what the build of every GPU target does before its
 * vendor's compiler. And the limits of a device as settings narrow them. */
#pragma once
#include "harness/base/text.h"
#include "harness/plug/candidate.h"
#include "harness/program/schedule/limits.h"
#include "targets/gpu/dialect.h"
#include "targets/gpu/gpu_program.h"
#include "targets/outcome_because.h"

struct gpu_source { /* text is the caller's to free */
    struct gpu_program *program;
    struct text text;
};
struct nest;

/* The program of c; where it is NULL, the unscheduled one of task: every element of a stage by a thread of its own.
 * Memory from a, which is emptied first. OUTCOME_OK, OUTCOME_INVALID (the steps do not apply, or the limits forbid
 * them), or OUTCOME_BUILD_FAILED (it cannot be written), with a message. Weights are never packed: TVM does not do so
 * on GPUs. */
enum outcome gpu_source_make(struct arena *a, const struct dialect *d, const struct limits *limits,
                             const struct task *task, const struct candidate *c, struct gpu_source *out,
                             char message[SAMPLE_MESSAGE]);

/* Settings that narrow what a schedule may take; 0: what the device has. */
struct gpu_narrowed {
    int64_t max_threads, shared_bytes, warp;
};
/* TVM's limits for CUDA, or the device's if they are less: threads and bytes of shared memory of a block. */
struct limits gpu_limits(const struct gpu_narrowed *asked, int64_t device_threads, int64_t device_shared_bytes);
