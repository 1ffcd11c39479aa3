/* SPDX-License-Identifier: Apache-2.0 */
/* sliced_run: a launch of a duel (harness/doc/measurement.md, "Duels"): several programs, each in a fresh runner, all
 * alive, that give short slices in turn. Only one runs at a time. Each is checked as any run is: before its first slice
 * and after its last. */
#pragma once
#include "harness/base/err.h"
#include "harness/measure/regime.h"
#include "harness/plug/candidate.h"
#include "harness/plug/sample.h"

struct measurer;
enum { SLICED_RUN_MOST = 16 }; /* programs */

struct sliced_program {
    const struct candidate *c;
    struct measurer *m;   /* that builds and runs it; NULL: the one that is asked. All of them are on this machine */
    double slow;          /* share by which its calls are slowed down on purpose; 0 */
    struct sample sample; /* out: the mean of a call in each of its slices, in their order */
};
struct sliced_run {
    struct sliced_program *programs;
    int n;
    const int *turns; /* whose slice it is; at most SAMPLE_REPEATS for each program */
    int nturns;
    /* Of a slice: one repeat of at least `number` calls and min_repeat_ms, after `warmup` calls that do not count. */
    const struct regime *regime;
    uint64_t process; /* of a virtual target: the noise of this launch; not 0 */
};
/* measure_sliced (measure.h) on this machine. */
MUST_CHECK bool sliced_run_take(struct measurer *m, struct sliced_run *r, struct err *err);

/* A call of a program on a virtual target, for struct repeat. */
struct virtual_call {
    struct measurer *m;
    void *kernel;
    double slow, total; /* it takes 1 + slow as long; seconds of all calls */
};
enum outcome virtual_call(void *ctx, int number, double *seconds, char message[SAMPLE_MESSAGE]);
/* Builds and loads it: *kernel where s->outcome is ok. */
void virtual_load(struct measurer *m, const struct candidate *c, struct sample *s, void **kernel);
