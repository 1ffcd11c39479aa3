/* SPDX-License-Identifier: Apache-2.0 */
/* gpu_programs: programs of every GPU sketch of every operator, as a GPU target builds and runs them, against what the
 * graph computes; so the reference. Drawn on a device so small that tasks for the interpreter fill its blocks, and on a
 * larger one that has virtual threads. RAINGAUGE_PROPERTY=n runs n programs a sketch, RAINGAUGE_SEED moves the stream,
 * RAINGAUGE_GPU_DEVICE=small or larger runs one of the two devices, `across` only reductions across 2 to 1024 threads.
 */
#pragma once
#include "harness/plug/target.h"
#include "tests/lib/random_schedule.h"

struct gpu_programs {
    const struct target *target;
    void *self;
    struct limits limits;
    struct target_env env;
    struct arena *arena;
    bool mutates;
    int right, wrong, sketches, empty, shared, across, vthreads, vectors, unrolled;
};
/* Settings of a device that is small enough for the tasks of random_schedule. */
extern const char GPU_PROGRAMS_SMALL[];

/* Opens the target of that name for runs; false: why it cannot be. */
MUST_CHECK bool gpu_programs_open(struct gpu_programs *b, const char *target, const char *settings, struct err *err);
void gpu_programs_close(struct gpu_programs *b);
/* Every check of the test: both devices with these further settings ("" or ",key=value"). */
void gpu_programs_check(const char *target, const char *settings);
