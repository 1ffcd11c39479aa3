/* SPDX-License-Identifier: Apache-2.0 */
/* duel_results: what the duels of a campaign say together: intervals by launches, and the gate of the kernels. */
#pragma once
#include "harness/report/data/records.h"
#include "harness/stats/verdict.h"
#include "harness/tune/duel_contrasts.h"

/* May what the duels say of kernels count? Null pairs are programs against themselves that went through the same
 * launches and the same statistic. Failed: their interval excludes 1 and they are off by more than was asked. Unknown:
 * the sitting is not over, or the interval is wider than was asked, which more launches cure.
 */
struct duel_gate {
    enum verdict_gates state;
    struct duel_interval null; /* kernels: null pairs */
    double asked;              /* half width that was asked for, of the log */
    const char *reason;        /* NULL: passed */
    const char *cure;          /* an option of `raingauge run` that makes it better; NULL: none is needed */
};
struct duel_node {         /* one of several machines that shares of the campaign ran on */
    const char *name;      /* node_record.h; "unknown" */
    struct duel_gate gate; /* of its own null pairs */
};
struct duel_result { /* of one contrast */
    struct duel_contrast of;
    struct duel_interval sums, calls; /* each kernel once, each as often as it is called */
};
struct duel_results {
    const struct duel_result *at; /* n of them, without the null pairs: over networks, then by network */
    int n;
    struct duel_gate gate;         /* of several machines that of the worst: one that failed, or the widest interval */
    const struct duel_node *nodes; /* nnodes of them; 0: all ran on one machine, or it is not recorded */
    int nnodes;
    int processes, failed; /* of all launches */
    bool awaited;          /* the sitting is not over */
};
/* r must have duels. asked: the half width of the plan. */
MUST_CHECK bool duel_results_make(const struct records *r, double asked, struct duel_results *out, struct err *err);
/* The gate alone: of duels on record, awaited (the sitting is not over) and the interval of the null pairs. */
struct duel_gate duel_gate(struct arena *a, const struct duel_interval *null, double asked, bool awaited);
/* The noise floor: half of the null pairs' interval, of several machines the widest; NAN: no null pair was timed. */
double duel_results_floor(const struct duel_results *d);
