/* SPDX-License-Identifier: Apache-2.0 */
/* network: experiments/networks/<name>.yaml: the distinct kernels of a network with call counts, in the paper's order,
 * and the totals that must come out. */
#pragma once
#include "harness/tune/plan.h"

struct network_declared { /* to be held against the list; macs and params -1: not declared */
    int64_t kernels, calls, macs, params, params_left;
};
struct network {
    const char *name, *title, *source;
    struct setting_ints input; /* shape, for people */
    struct network_declared declared;
    int nkernels, calls;
    int listed;              /* kernels in the file; nkernels is fewer where a tier took a part */
    double macs_m, params_m; /* published: multiply-adds and parameters in millions; 0 not given */
    double
        gflop; /* computed: sum of count * FLOP of the kernel (harness/doc/ansor.md, "Counting operations"), in 10^9 */
    double macs_sum_m,
        params_sum_m; /* computed: multiply-adds of convolutions and matrix products; parameters; over all calls */
    struct plan_task *tasks; /* nkernels */
    bool replicated;         /* the experiment runs it with all its seeds, not with the first alone */
};
extern const struct setting network_keys[], network_kernel_keys[];
/* Refused with file:line:column when what is declared does not come out: first the number of kernels, then each kernel
 * (its own multiply-adds and parameters, and that it is listed once), the exact totals (with the kernel whose calls
 * would explain the difference), the calls, last the published totals (multiply-adds within 1 %, parameters
 * with params_left within 0.1 %). */
MUST_CHECK bool network_load(struct arena *a, const char *dir, const char *name, struct network **out, struct err *err);
