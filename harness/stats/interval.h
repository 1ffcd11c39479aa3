/* SPDX-License-Identifier: Apache-2.0 */
/* interval: the geometric mean of ratios and how well it is known. All work is done on logs: a ratio
 * and its inverse must say the same. */
#pragma once

enum interval_method { INTERVAL_NONE, INTERVAL_T, INTERVAL_BCA, INTERVAL_POOLED, INTERVAL_METHODS }; /* pooled.h */
extern const char *const interval_words[]; /* "none", "t", "bca", "pooled" */

enum {
    INTERVAL_BOOTSTRAP_FROM = 20
}; /* seeds; below it the t-interval (harness/doc/measurement.md, "Estimates and intervals") */

struct interval {
    int n;
    double ratio, low, high; /* geometric mean and its interval */
    enum interval_method method;
};

/* The t-interval on the logs of n positive ratios. With n = 1 low and high are 0 and infinity, NaN unless all > 0. */
struct interval interval_student(const double *ratios, int n, double confidence);
/* The same below INTERVAL_BOOTSTRAP_FROM ratios; from there the BCa bootstrap on the logs, BOOTSTRAP_DRAWS draws under
 * a fixed seed. */
struct interval interval_ratios(const double *ratios, int n, double confidence);
