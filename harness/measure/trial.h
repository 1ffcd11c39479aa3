/* SPDX-License-Identifier: Apache-2.0 */
/* trial: the parent's side of the runner. */
#pragma once
#include "harness/measure/counted_run.h"
#include "harness/measure/measurer.h"
#include "harness/plug/phase.h"

/* Runs one built trial; false only when measuring itself broke. phases may be NULL. */
MUST_CHECK bool trial_run(struct measurer *m, struct trial *t, const struct regime *regime, struct phases *phases,
                          struct err *err);
/* A counted run of a built trial. Counters are there if the sample's outcome is ok. */
MUST_CHECK bool trial_count(struct measurer *m, struct trial *t, const struct regime *regime, struct counter_list *out,
                            struct err *err);
/* One request to the runner about one trial, until it is answered. */
struct run_request {
    struct measurer *m;
    struct trial *t;
    const struct regime *regime;
    struct phases *phases;
    enum message kind; /* MESSAGE_RUN, MESSAGE_COUNT or MESSAGE_SLICES */
    enum run_part now;
    double since, run_s, verify_s, deadline;
    double slow;     /* of a sliced run: planted slowdown, share of a call */
    bool died_early; /* before the candidate was touched: another runner may do better */
    bool forged;     /* the runner said what it was not asked; perhaps an earlier kernel did */
};
/* A sliced run: the runner m->runner loads, checks, and waits. Then each trial_slice has it take a slice, and
 * trial_finish has it check again and answer. r->now is PART_WAIT until it has answered or ended; then the sample says
 * how. r: m, t, regime, slow. The caller may put other runners into m->runner between the calls. */
MUST_CHECK bool trial_hold(struct run_request *r, struct err *err);
MUST_CHECK bool trial_slice(struct run_request *r, struct err *err);
MUST_CHECK bool trial_finish(struct run_request *r, struct err *err);
/* A sliced run that is faster than the machine allows becomes a wrong answer, after its peaks were measured again. */
MUST_CHECK bool trial_possible(struct measurer *m, struct trial *t, struct err *err);
/* Measures the machine's peaks if results are to be held against them and none was. phases may be NULL. */
MUST_CHECK bool trial_peaks(struct measurer *m, const struct regime *regime, struct phases *phases, struct err *err);
MUST_CHECK bool runner_ready(struct measurer *m, struct err *err); /* starts one if there is none */
void runner_stop(struct measurer *m);
/* Has a runner, started if there is none, measure the machine's peaks. m keeps the highest seen; *flops (may be NULL)
 * is this one. */
MUST_CHECK bool peaks_ask(struct measurer *m, double *flops, struct err *err);
