/* SPDX-License-Identifier: Apache-2.0 */
/* aa_size: how large the A/A test of a plan is (aa_run.h), and how long it is expected to take. So many kernels are
 * timed that a stage is expected to take AA_STAGE_S, then in so many launches that it is filled: both stages take about
 * a minute on a real target. */
#pragma once
#include "harness/tune/plan.h"

enum {
    AA_SIZE_MOST = 8,  /* kernels */
    AA_SIZE_LEAST = 3, /* kernels, if the plan has as many */
    AA_SIZE_DRAWS = 3  /* random programs of a kernel, the fastest of which is timed */
};
#define AA_STAGE_S 25.

struct aa_size {
    int programs; /* one of each kernel that is timed, at most; 0: the plan has no re-timing */
    int launches; /* of a stage: at least the plan's, at most AA_LAUNCHES, and no more readings of a pretended arm than
                     a real one has in the re-timing: their mean must not be steadier than its mean */
    double seconds; /* expected of both stages together */
};
struct aa_size aa_size_of(const struct plan *p);

struct aa_kernels { /* the distinct kernels of a plan, the lightest first; of equal ones the first named */
    const struct plan_task **at;
    int n;
};
struct aa_kernels aa_kernels_of(struct arena *a, const struct plan *p);
