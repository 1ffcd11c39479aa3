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
/* How much sooner an arm is as good as the first arm is in the end, as arXiv 2402.02361 (Figs 6 and 7) counts it: the
 * time of the first arm's whole run over the time until this arm's kernel sum is at most what the first arm ends with.
 * That is one target for a network, the median over seeds of the first arm's last sums. Seeds are paired by their
 * numbers. A run that never gets there is right-censored: it counts with the first arm's time over its own whole time,
 * and at most with 1, so that it is never a gain. This is a description, and no verdict rests on it: as a run that
 * arrives counts 1 or more, two arms of one searcher under other seeds are above 1, too (race_tables.h has how many
 * arrive by chance).
 *
 * Sums as tuned are biased low, as the fastest of noisy readings are. Re-timed, target and sums are what fresh
 * processes measured of the programs at the end; on the way there each run's sums are taken to be biased as its last.
 */
enum race_sum { RACE_TUNED, RACE_RETIMED, RACE_SUMS };
struct race_parity {
    int arm, over,
        network;         /* over: the arm that it is set against, the first but in pairs. network -1: over networks */
    int networks;        /* those that have such a number, as tuned */
    int runs[RACE_SUMS]; /* seeds in which both are done and have such a sum; over networks added up */
    int reached[RACE_SUMS]; /* those that get there */
    struct estimate
        common; /* of pairs: how much sooner at the target that every run of both comes to (struct race_arm) */
    double target_s, whole_s; /* as tuned; the first arm's time, geometric mean over seeds; NAN over networks */
    double reach_s;           /* of the runs that get there as tuned, geometric mean; NAN over networks */
    struct estimate geometric[RACE_SUMS]; /* mean over networks of those over seeds. Holm's correction: over the arms */
    /* Over networks the arithmetic mean, as published, of the networks' ratios; one network: the same as geometric. Its
     * interval is that of seeds, by the networks' weights in the mean (delta method); none by one seed. */
    struct estimate arithmetic[RACE_SUMS];
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
    struct race_parity *parity; /* narms of them, in the same order */
    struct race_parity
        *pairs; /* over networks: each arm against those before it but the first, in whose place they are */
    int npairs;
    struct race_kernel *kernels; /* by network, kernel, arm */
    int nkernels;
    bool retimed; /* GFLOP/s are of re-timed programs; else as tuned */
};
/* c: of results that results_race was called for. margin: of ties. In the arena of the records. */
void race_make(const struct comparisons *c, double margin, struct race_results *out);
