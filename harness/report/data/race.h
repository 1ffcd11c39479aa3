/* SPDX-License-Identifier: Apache-2.0 */
/* race: arms that search by themselves, each against the first arm of the experiment: how much sooner, in seconds and
 * in trials, an arm has programs that both arms come to have, and how fast its kernels are. */
#pragma once
#include "harness/report/data/comparison.h"

/* How much sooner one arm reaches the target than the first. The target of a network is the slowest of the last kernel
 * sums of all runs (seeds) of the two arms, as tuned: the best quality that every one of these runs reaches, so no run
 * is censored. It is chosen from these runs: a wide spread of either arm makes it easy. What lies beyond it, and which
 * share of runs gets there, is for time_to_target.h. Ratios are the first arm's over this arm's, seed by seed: above 1
 * this arm is sooner. */
struct race_arm {
    int arm, network;           /* network -1: over networks */
    int runs;                   /* seeds in which both are done and have a sum; over networks added up */
    double target_s;            /* NAN over networks, and where no run has a sum */
    double wall_s, base_wall_s; /* until then, geometric means over seeds; NAN over networks */
    double trials, base_trials;
    struct estimate wall, in_trials; /* Holm's correction: over the arms */
};
struct race_kernel { /* of one arm, network and kernel: GFLOP/s of the programs it ends with, over seeds */
    int arm, network;
    const char *name;
    int runs;                 /* seeds with a time */
    double kernel_s;          /* geometric means over seeds */
    double gflops, low, high; /* 95 %: spread of seeds pooled over the network's kernels below POOLED_SEEDS seeds
                                 (stats/pooled.h); NAN: no kernel has two seeds */
};
struct race_results {
    struct race_arm *arms; /* by network, those over networks (-1) first */
    int narms;
    struct race_kernel *kernels; /* by network, kernel, arm */
    int nkernels;
    bool retimed; /* GFLOP/s are of re-timed programs; else as tuned */
};
/* c: of results that results_race was called for. margin: of ties. In the arena of the records. */
void race_make(const struct comparisons *c, double margin, struct race_results *out);
