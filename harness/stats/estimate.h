/* SPDX-License-Identifier: Apache-2.0 */
/* estimate: one ratio, measured on several rows (networks or kernels) with several seeds, and all that a report
 * (harness/doc/measurement.md, "Estimates and intervals") wants beside it: the geometric mean, its interval and what it
 * is an interval over, the chance to win, and the test that the ratio is 1 (sign flips; pooled intervals: t). */
#pragma once
#include "harness/base/arena.h"
#include "harness/stats/interval.h"
#include "harness/stats/superiority.h"

#define ESTIMATE_CONFIDENCE 0.95
enum { ESTIMATE_DRAWS = 9999 }; /* sign patterns beyond PERMUTATION_EXACT values */

/* SEEDS: the same rows with other seeds. ROWS: other rows like these, of one seed. NOTHING: one value has no spread. */
enum estimate_over { ESTIMATE_NOTHING, ESTIMATE_SEEDS, ESTIMATE_ROWS };

struct estimate {
    double ratio;     /* geometric mean over rows of the geometric mean over their seeds; NaN: none is usable */
    double low, high; /* 95 %; NaN over NOTHING */
    enum estimate_over over;
    enum interval_method method;
    int n;                     /* values that the interval and the test rest on; of POOLED: seeds */
    double df;                 /* degrees of freedom of the seeds' spread within rows (pooled.h); 0: one seed */
    double half;               /* half the interval on the log scale; INFINITY or NaN where there is none */
    struct interval rows;      /* over rows, each its mean over seeds; as interval_ratios from fewer than two */
    struct superiority better; /* every row and seed is a pair */
    double p, holm;            /* over what the interval is over; NaN with fewer than two. holm: estimate_correct */
};

/* v[row * seeds + seed], ratios; what is not positive and finite is not there. With 2 to POOLED_SEEDS - 1 seeds the
 * interval is pooled from the spread within rows, and p is that of its t. From POOLED_SEEDS seeds on it is that of the
 * seeds' means over the rows that have as many seeds as any, so that seeds do not differ by what they hold; it also
 * sees luck that all rows of a seed share. df is that of the spread within rows in either case, so that more seeds
 * never lower it. margin: of ties (noise_floor_tie). Scratch memory from a. */
void estimate_of(struct arena *a, const double *v, int rows, int seeds, double margin, struct estimate *out);
/* An interval of no width about 1 is none: both arms have the same programs, which says nothing of how well the ratio
 * is known. */
void estimate_drop_widthless(struct estimate *e);
/* What the interval is over, in a word: "none", "seeds", or the name of the rows. */
const char *estimate_over_word(const struct estimate *e, const char *rows);
/* Holm's correction over a family of n; those without p are not part of it. */
void estimate_correct(struct arena *a, struct estimate *const *family, int n);
