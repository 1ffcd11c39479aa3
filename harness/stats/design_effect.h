/* SPDX-License-Identifier: Apache-2.0 */
/* design_effect: rows (networks) that have parts (kernels) in common share the luck of these parts, so that their mean
 * is known less well than that of as many rows by themselves. By how much is the design effect of sampling in
 * clusters (L. Kish, Wiley 1965), here of known overlap: if a row's log ratio varies by sum of w x luck over its parts,
 * each part's luck of one size and drawn once, then the variance of the mean over rows is
 * sum over parts (sum over rows w)^2 / (sum over rows and parts w^2) times that of rows without common parts. */
#pragma once
#include "harness/base/arena.h"
#include "harness/stats/estimate.h"

#include <stdint.h>

struct design_part { /* a part of a row */
    int row;
    uint64_t part; /* equal in rows that have it in common */
    double weight; /* above 0; scaled to a sum of 1 within its row */
};
/* At least 1, which is of rows with nothing in common; as many as there are rows: all are the same. Parts without a
 * positive finite weight are left out. Scratch memory from a. */
double design_effect(struct arena *a, const struct design_part *parts, int n);

/* The estimate of rows with this design effect: the squared error is that many times as large, and the degrees of
 * freedom that many times fewer, but not below those of the seeds' means: these hold whatever rows share. An interval
 * over the means of seeds sees what rows share and stays. One over rows of a single seed grows, and has no test. 1, or
 * less: nothing changes. */
void design_effect_widen(struct estimate *e, double design);
/* Degrees of freedom of the seeds' spread within so many rows, for planning: rows x (seeds - 1) / design, at least
 * seeds - 1. */
double design_effect_df(double rows, double seeds, double design);
