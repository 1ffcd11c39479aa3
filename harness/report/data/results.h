/* SPDX-License-Identifier: Apache-2.0 */
/* results: what an experiment gave, as facts: arms (at one k each) x networks x seeds x kernels. Every ratio of a
 * report is a quantity of these (quantity.h). Definitions: arXiv 2406.20037, section 5, and the authors' scripts. */
#pragma once
#include "harness/experiment/experiment.h"
#include "harness/report/data/records.h"

/* A kernel sum counts each distinct kernel once (the authors') or as often as the network calls it. */
enum kernel_sum { SUM_PLAIN, SUM_CALLS, SUM_COUNT };
/* What a search cost, in seconds. Of "the first k records of a kernel" each clock takes its part:
 *   wall     the cell's clock; the first k records have their share of each round (record_scan_wall)
 *   records  the authors' clock: records x mean cost of the whole log for what the explorer measured, the sum of costs
 *            for a descent
 *   sum      build and run costs of these very records
 *   device   seconds the device was held by them, for running and verifying
 *   cpu      CPU time of the searching process, without workers, by its share of the cell's wall clock; NAN where no
 *            time passes (virtual targets) */
enum search_clock { CLOCK_WALL, CLOCK_RECORDS, CLOCK_SUM, CLOCK_DEVICE, CLOCK_CPU, CLOCK_COUNT };
/* Whose programs and whose cost, in a cell of an arm that starts from another's records. An arm that searches by itself
 * has PART_OWN, and PART_KEPT is the same. */
enum part {
    PART_EXPLORER, /* all records of the explorer; in a race those of the first arm */
    PART_SEED,     /* its first k records of each kernel */
    PART_OWN,      /* the records of the arm itself */
    PART_KEPT,     /* what one would use: the better of the arm's own best and its seed; cost of seeds and arm */
    PART_COUNT
};

struct totals {                  /* of one part, over the kernels of a cell */
    double kernel_s[SUM_COUNT];  /* sum of best kernel times; INFINITY when a kernel has no valid record */
    double retimed_s[SUM_COUNT]; /* the same programs re-timed; NAN when one of them was not */
    double search_s[CLOCK_COUNT];
    int64_t trials, failed;
};
/* to += share * one; trials and failures are added whole. */
void totals_add(struct totals *to, const struct totals *one, double share);
struct kernel_result {
    const char *name;
    double kernel_s[PART_COUNT], retimed_s[PART_COUNT]; /* as in totals, of this kernel */
    int64_t records, failed;                            /* of PART_OWN */
    const struct duel *duel; /* in which PART_KEPT was timed, and its place there; NULL: in none */
    int place;
    /* PART_KEPT against PART_EXPLORER: two-sided t-test of equal variances over the repeats of the two records (the
     * authors'), over launches of fresh processes, paired where these are of a duel; NAN: the same record, or too few.
     */
    double p_repeats, p_launches;
    double spread_repeats, spread_launches; /* sd / mean of PART_KEPT; NAN: fewer than two */
    double
        time_spread; /* of searcher `random`: p90 over p10 of the times of its valid records; NAN: another searcher */
};
struct cell_result {
    int cell; /* its number in the store */
    struct totals of[PART_COUNT];
    struct kernel_result *kernels; /* nkernels of them */
    int nkernels;
    int64_t shared; /* kernels whose descent was run for another k */
};
struct result_arm {
    const char *label, *name; /* "droplet-300", "droplet" */
    int64_t k;
    const char *searcher, *settings; /* "" before its first cell is stored */
    const char *conditions;          /* under which it builds and times, where not the experiment's; "" */
    int explorer;                    /* arm whose records it starts from; -1: it searches by itself */
    int base;                        /* arm that it is set against: its explorer, in a race the first; -1: none */
    bool remeasures;                 /* it only measures its seeds again */
};
struct result_network {
    const char *name;
    int kernels, calls;
};
struct results {
    const struct records *records;
    struct result_arm *arms; /* as planned */
    int narms;
    struct result_network *networks;
    int nnetworks, seeds;
    int64_t first_seed;
    /* Kernels of all networks and seeds of an arm that searches, and those of them that are taken from an earlier
     * network (harness/tune/plan.h). What this does to means over networks, and over their kernels:
     * stats/design_effect.h, of the largest of kernels of equal weight, by their times, and by times and calls; 1 where
     * none is taken. */
    int64_t kernels, taken;
    double design, kernels_design;
    struct cell_result **cells; /* [(arm * nnetworks + network) * seeds + seed]; NULL: not done */
};
/* seed_cost_again: on the clock of records PART_KEPT counts the cost of each seed record once more, because the
 * authors' Droplet log holds it too. */
MUST_CHECK bool results_make(const struct records *r, const struct experiment *e, bool seed_cost_again,
                             struct results *out, struct err *err);
/* Sets every arm against the first one: PART_EXPLORER of their cells becomes what the first arm has of the same network
 * and seed (not known where that is not done). For arms that search by themselves. */
MUST_CHECK bool results_race(struct results *r, struct err *err);
/* The same cells of these networks alone, in r's arena; false: one of them is not there. */
MUST_CHECK bool results_of_networks(const struct results *r, const struct setting_strings *names, struct results *out);
/* seed: from 0; NULL: that cell is not done. */
const struct cell_result *results_cell(const struct results *r, int arm, int network, int seed);
int results_arm(const struct results *r, const char *label); /* -1: there is none */
/* In what the conditions of two arms differ, in a; NULL: in nothing, or one is no arm. "ansor, first 10" is ansor. */
const char *results_unlike(const struct results *r, struct arena *a, const char *arm, const char *over);
