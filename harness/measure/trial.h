/* SPDX-License-Identifier: Apache-2.0 */
/* trial: the parent's side of the runner. */
#pragma once
#include "harness/measure/measurer.h"

/* Runs one built trial; false only when measuring itself broke. phases may be NULL. */
MUST_CHECK bool trial_run(struct measurer *m, struct trial *t, const struct regime *regime, struct phases *phases,
                          struct err *err);
/* A counted run of a built trial: *n counters, at most `most`, when the sample's outcome is ok. */
MUST_CHECK bool trial_count(struct measurer *m, struct trial *t, const struct regime *regime, struct counter *out,
                            int most, int *n, struct err *err);
MUST_CHECK bool runner_ready(struct measurer *m, struct err *err); /* hires one when there is none */
void runner_dismiss(struct measurer *m);
/* Has the runner measure the machine's peaks: into m go the highest seen, into *flops (may be NULL) this one. */
MUST_CHECK bool peaks_ask(struct measurer *m, double *flops, struct err *err);
