/* SPDX-License-Identifier: Apache-2.0 */
/* comparison: the rows of a report: an arm against its explorer's full run on one network or over all networks, with
 * every quantity joined over kernels, seeds and networks, its interval and its test (harness/stats/estimate.h). Ratios
 * above 1 favour the arm. */
#pragma once
#include "harness/report/data/quantity.h"
#include "harness/report/data/selection.h"
#include "harness/stats/estimate.h"

#define COMPARISON_P 0.05 /* kernels distinguished */

struct test_counts {         /* kernels, all seeds: PART_KEPT against PART_EXPLORER by a t-test */
    int better, worse, open; /* open: p above COMPARISON_P, or no test */
};
struct comparison {
    int arm, network;       /* network -1: over networks */
    int seeds;              /* done; over networks: networks done */
    int64_t kernels, found; /* found: kernels of which the arm has a valid record of its own, in every seed */
    int complete;           /* over networks: those with all kernels found */
    int wins, counted;      /* over networks: with a kernel ratio of at least 1; with one. Re-timed where it was */
    int64_t shared;         /* kernels whose descent was run for another k */
    /* Means over seeds, trials added up; over networks their sums, of PART_OWN's kernel times the complete ones only.
     */
    struct totals of[PART_COUNT];
    struct estimate ratio[QUANTITY_OF_ARM];
    struct test_counts repeats, launches;
    double spread_repeats, spread_launches; /* median over kernels, then over seeds; NAN over networks */
    /* Sign-flip test over seeds that the kernel sums' ratio is 1, re-timed in the seeds that were; NAN: one seed.
     * Corrected by Holm over networks or arms, as the selection says. */
    double p, p_holm;
};
struct comparisons {
    const struct results *results;
    const struct selection *selection;
    int *arms; /* narms of them, indices in results */
    int narms;
    struct comparison *means;    /* by arm */
    struct comparison *networks; /* [arm * nnetworks + network] */
    enum quantity headline;      /* what stands for the kernels: re-timed where any arm was */
};
/* A quantity of two arms (one: the same twice) on a network, -1: over networks. margin: of ties. */
void comparison_estimate(const struct results *r, enum quantity q, int over, int under, int network, double margin,
                         struct estimate *out);
/* false: no arm explores another. */
MUST_CHECK bool comparisons_make(const struct results *r, const struct selection *s, double margin,
                                 struct comparisons *out, struct err *err);

/* Do the wall clock and the paper's (records) say the same of a search speedup? They disagree in size when they differ
 * by more than COMPARISON_CLOCKS, in direction when they stand on either side of 1. */
#define COMPARISON_CLOCKS 1.25
enum clocks_agree { CLOCKS_AGREE, CLOCKS_SIZE, CLOCKS_DIRECTION, CLOCKS_COUNT };
enum clocks_agree comparison_clocks(double wall, double records);
extern const char *const comparison_clocks_words[]; /* "agree", "size", "direction" */
