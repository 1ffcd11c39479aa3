/* SPDX-License-Identifier: Apache-2.0 */
/* bootstrap: intervals by drawing again from what was measured. Source: Efron and Tibshirani, An Introduction to the
 * Bootstrap (1993), chapter 14. It is used from 20 seeds on: below, every bootstrap is too narrow.
 * Draws come from base/rng under a given seed, so a report made twice shows the same numbers. */
#pragma once
#include <stdint.h>

enum { BOOTSTRAP_DRAWS = 9999, BOOTSTRAP_SEED = 20 };

struct bootstrap {
    double estimate, low, high;
    double bias;         /* z0: normal quantile of the share of draws below the estimate */
    double acceleration; /* a: skew of the leave-one-out values */
};

/* A statistic of n values; must give the same for every order of them. */
double bootstrap_mean(const double *v, int n);

/* Bias-corrected and accelerated interval of a statistic of n >= 2 independent values. All values equal: low = high =
 * estimate. NaN limits for n < 2. draws >= 1. */
struct bootstrap bootstrap_bca(const double *v, int n, double (*statistic)(const double *, int), double confidence,
                               int draws, uint64_t seed);
