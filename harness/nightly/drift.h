/* SPDX-License-Identifier: Apache-2.0 */
/* drift: what no single night shows: a series that became slower little by little, each night inside the margin of the
 * nights just before it. Every DRIFT_EVERY good nights the step fit looks at all of them (harness/doc/measurement.md,
 * "Weekly step fit"), and what it finds is judged as a night is: a margin, and the rerun of the binary from before the
 * step against tonight's.
 */
#pragma once
#include "harness/nightly/finding.h"

enum { DRIFT_EVERY = 7, DRIFT_NIGHTS = 90 /* looked at, at most */ };

/* Is it time, with so many good nights before tonight? */
bool drift_due(int ngood);
/* A series' finding becomes that of the fit (`since`: the first night after the step) when the levels differ with
 * p < 0.002, and both the nights since and tonight alone are slower than the nights before the step by more than
 * max(3 %, 3 x floor). The floor is that of a mean over the least side, 7 nights: the night-to-night noise floor
 * divided by sqrt(7). Only slower series, and only those that tonight's own comparison leaves alone. Reruns are taken
 * from the history. */
MUST_CHECK bool drift_find(const struct tonight *t, struct findings *out, struct err *err);
/* That floor, of n > 1 levels in the order of time; of the last DRIFT_NIGHTS at most. */
double drift_floor(const double *levels, int n);
/* The first night after the earliest of the steps that are found; 0: none. */
int64_t drift_since(const struct findings *f);
