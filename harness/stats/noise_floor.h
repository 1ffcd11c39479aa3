/* SPDX-License-Identifier: Apache-2.0 */
/* noise_floor: what a protocol shows when there is nothing to see, from ratios that are 1 but for noise; no effect
 * below it can produce a verdict (harness/doc/measurement.md, "Gates and validity"). */
#pragma once

/* Relative difference, 0.02 for 2 %: what 95 of 100 such ratios stay within, exp(q95 |ln ratio|) - 1; the largest one
 * when there are fewer than 20. NaN when n = 0 or a ratio is not positive. */
double noise_floor_of(const double *ratios, int n);
/* Inside this margin two results are tied: max(2 %, 2 x floor). A NaN floor (not measured) counts as 0. */
double noise_floor_tie(double level);
/* A nightly change inside this margin is none: max(3 %, 3 x floor). */
double noise_floor_alarm(double level);
