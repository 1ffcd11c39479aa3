/* SPDX-License-Identifier: Apache-2.0 */
/* network: experiments/networks/<name>.yaml: the distinct kernels of a network with call counts, in the paper's order,
 * and the totals that must come out (kernels, calls, multiply-adds, parameters). */
#pragma once
#include "harness/tune/plan.h"

struct network {
    const char *name, *title, *source;
    int nkernels, calls;
    double macs_m, params_m; /* published: multiply-adds and parameters in millions; 0 not given */
    double gflop;            /* computed: sum of count * FLOP of the kernel (ansor.md 1.5), in 10^9 */
    double macs_sum_m,
        params_sum_m;        /* computed: multiply-adds of convolutions and dense layers; parameters over all calls */
    struct plan_task *tasks; /* nkernels */
};
/* Refused with the first difference when the declared totals do not come out (multiply-adds and parameters within 1 %).
 */
MUST_CHECK bool network_load(struct arena *a, const char *dir, const char *name, struct network **out, struct err *err);
