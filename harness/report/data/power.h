/* SPDX-License-Identifier: Apache-2.0 */
/* power: how well the seeds of an experiment will let its ratios be known, before it runs. Widths
 * are half widths of 95 % intervals on the log scale (harness/stats/estimate.h): 0.05 is about +-5 %. */
#pragma once
#include "harness/experiment/experiment.h"

/* Spread of a network's log kernel ratio between runs of one cell, from the six cells that the authors ran twice
 * (lac-dcc/bennu, repeated runs against Table 3: Ryzen 0.995 and 0.99, 1.017 and 1.01; A100 0.869 and 1.92, 0.965 and
 * 0.97; A64FX 0.588 and 1.14, 0.659 and 0.87). The median of the |log differences| is 0.1425; times 1.4826 (as of a
 * normal), over sqrt 2 (two runs differ) = 0.15. Their two runs share one Ansor log, so seeds of Ansor may vary more.
 */
#define POWER_ASSUMED 0.15

struct power {
    double spread;                   /* between seeds, of a network's log kernel ratio */
    int df;                          /* what it rests on; 0: assumed */
    int seeds, networks, replicated; /* replicated: networks that have all seeds; the others have one */
    double design;                   /* plan_design_effect: networks / design count as independent */
    double network, mean; /* half width of one network's ratio, of the mean over networks; INFINITY: one seed */
    int kernel_seeds, search_seeds;     /* at which the mean gives a verdict: half width within 10 %, 25 %, and
                                           likely VERDICT_DF degrees of freedom (df_chance.h); 0: none */
    double seed_s;                      /* predicted seconds of one seed of everything */
    int budget_seeds;                   /* seeds that fit the budget, 0 when there is none */
    double budget_network, budget_mean; /* and their half widths */
};
/* all_s: predicted seconds of the experiment. budget_s <= 0: none. Reads the results folder if there are results of
 * this very experiment with two seeds or more of some network; else the spread is assumed. */
void power_of(struct arena *a, const struct experiment *e, double all_s, double budget_s, struct power *out);
