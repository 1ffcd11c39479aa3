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
MUST_CHECK bool runner_ready(struct measurer *m, struct err *err); /* starts one if there is none */
void runner_stop(struct measurer *m);
/* Has a runner, started if there is none, measure the machine's peaks. m keeps the highest seen; *flops (may be NULL)
 * is this one. */
MUST_CHECK bool peaks_ask(struct measurer *m, double *flops, struct err *err);
