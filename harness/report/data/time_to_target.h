/* SPDX-License-Identifier: Apache-2.0 */
/* time_to_target: where an experiment has several seeds, how long each arm takes, on the wall clock and (in a race) in
 * trials, until a network's
 * kernel sum is at most q times what the explorer usually ends with. A run that never gets there says "longer than its
 * clock": it is right-censored (harness/stats/survival.h). */
#pragma once
#include "harness/report/data/best_curve.h"
#include "harness/stats/estimate.h"
#include "harness/stats/survival.h"

enum { TIME_TO_TARGET_TARGETS = 4 };
extern const double time_to_target_q[TIME_TO_TARGET_TARGETS]; /* 1.00, 1.01, 1.02, 1.05 */

struct time_to_target_arm {
    int arm;                                                                    /* in results */
    struct survival of[TIME_TO_TARGET_TARGETS], trials[TIME_TO_TARGET_TARGETS]; /* trials: n 0 unless in a race */
    /* Log-rank test against the explorer, and Holm's correction over the arms of the network; NAN for itself. */
    double p[TIME_TO_TARGET_TARGETS], holm[TIME_TO_TARGET_TARGETS];
};
struct time_to_target_network {
    int network;     /* in results */
    double target_s; /* median over seeds of the explorer's last kernel sum, as tuned; q = 1.00 */
    struct time_to_target_arm *arms;
    int n; /* the explorer first; 0: nothing is done */
};
/* Time to equal quality: the explorer's time until its kernel sum, as tuned, is that of what the arm ends with, over
 * the arm's whole time, its seeds' included. It stands beside the stopping rule, which asks for the explorer's full
 * run. Where the explorer never gets there the ratio is with its whole clock: more than that (right-censored). */
struct equal_quality {
    int arm, network;        /* network -1: over networks */
    int runs, reached;       /* seeds (times networks) with both; in which the explorer gets there */
    struct estimate speedup; /* a lower bound where reached < runs */
};
/* n of them, by network (-1 first) and arm; of arms that explore. */
struct equal_quality *equal_quality_make(const struct results *r, double margin, int *n);
/* n of them; 0: one seed only, or no arm that explores another. */
struct time_to_target_network *time_to_target_make(const struct results *r, int *n);
