/* SPDX-License-Identifier: Apache-2.0 */
/* table3: search time and kernel speed of Ansor, of Ansor stopped after k records a kernel, and of Droplet started from
 * there, network by network (droplet.md 3.2 to 3.5). Every number comes from the records of a campaign. */
#pragma once
#include "harness/experiment/experiment.h"
#include "harness/report/data/arm_result.h"

#define TABLE3_CONFIDENCE 0.95
#define TABLE3_CLOCKS 1.25 /* the wall clock and the authors' disagree in size when their ratios differ by more */

struct table3_k {
    int64_t k;
    struct arm_result ansor_k, dpansor;
    double search_speedup[CLOCK_COUNT], kernel_speedup[SUM_COUNT], retimed_speedup[SUM_COUNT]; /* Ansor / DPAnsor */
    double ansor_k_search[CLOCK_COUNT], ansor_k_kernel[SUM_COUNT];                             /* Ansor / Ansor-k */
    double seed_gain[SUM_COUNT]; /* Ansor-k / DPAnsor kernel time: what Droplet adds to its own seed */
    /* The same gain after the shoot-out: what timing the seed again under its regime changes (seed as recorded / seed
     * re-timed: below 1 when its record was lucky), and what the descent found (seed re-timed / winner re-timed). NAN
     * without a shoot-out. */
    double timing_gain[SUM_COUNT], search_gain[SUM_COUNT];
    int64_t shared; /* kernels whose descent was run for another k */
    /* Of joined rows: what each seed alone gives (by seed - 1, NULL where its cells are not done), and in the ratios of
     * low and high the ends of the 95 % interval over seeds (harness/stats/interval.h): 0 and infinity from one seed.
     * In the means over networks they are of the same networks with other seeds; across_*: of other networks like
     * these. */
    struct table3_k *const *by_seed;
    const struct table3_k *low, *high, *across_low, *across_high; /* NULL in the row of one seed */
    int nseeds;                                                   /* seeds that low and high rest on */
    double p, holm; /* sign-flip test that table3_speedup is 1, and corrected over networks; NaN: one seed */
};
struct table3_network { /* of one network; several seeds are joined: times by mean, ratios by geometric mean */
    const char *name;
    int kernels, calls, seeds;
    struct arm_result ansor;
    struct table3_k *k; /* nk */
};
struct table3 {
    struct table3_network *networks;
    int nnetworks;
    const int64_t *ks;
    int nk;
    struct table3_k *mean; /* nk: geometric means of the ratios over networks that have them */
    int *wins, *counted;   /* networks with table3_speedup >= 1, and networks counted */
    bool complete;         /* every cell is done */
    int cells_done, cells;
};
/* The kernel speedup (sum) that stands for a row: of the shoot-out when its winners were timed again, else as tuned. */
bool table3_is_retimed(const struct table3_k *k);
double table3_speedup(const struct table3_k *k);
/* The ends of the 95 % interval of a row's kernel speedup, as tuned or re-timed: over seeds; of a mean of one seed over
 * networks. False: it has none. */
bool table3_interval(const struct table3_k *k, bool retimed, double *low, double *high);
/* Do the wall clock and the paper's (records) say the same of a search speedup? */
enum table3_clocks { CLOCKS_AGREE, CLOCKS_SIZE, CLOCKS_DIRECTION };
enum table3_clocks table3_clocks_of(double wall, double records);
enum table3_clocks table3_row_clocks(const struct table3_k *k);
const char *table3_clocks_word(enum table3_clocks c); /* "agree", "size", "direction" */
/* How many networks the means are over, at most: "20", or "14 of 20" before all are measured. */
const char *table3_spread(struct arena *a, const struct table3 *t);
/* The experiment needs an arm that searches and one that explores it. */
MUST_CHECK bool table3_make(struct arena *a, const struct experiment *e, struct store *s, struct table3 *out,
                            struct err *err);
