/* SPDX-License-Identifier: Apache-2.0 */
/* noise_floor: what the protocol shows when there is nothing to see. A kernel is measured against itself (A/A), before
 * and after a campaign; no effect below this floor can produce a verdict (issue 4, harness/doc/measurement.md, "A/A
 * test and noise floor" to 3.8). */
#pragma once

/* Relative difference, 0.02 for 2 %: what 95 of 100 A/A ratios stay within, exp(q95 |ln ratio|) - 1; the largest one
 * when there are fewer than 20. NaN when n = 0 or a ratio is not positive. */
double noise_floor_of(const double *ratios, int n);
/* The same of the geometric mean of n A/A ratios: as their true mean is 1, t(0.95, n) x root mean square of the logs /
 * sqrt n bounds what 95 of 100 such means are off by. NaN as above. */
double noise_floor_mean(const double *ratios, int n);
/* Inside this margin two results are tied: max(2 %, 2 x floor). A NaN floor (not measured) counts as 0. */
double noise_floor_tie(double level);
/* A nightly change inside this margin is none: max(3 %, 3 x floor). */
double noise_floor_alarm(double level);
