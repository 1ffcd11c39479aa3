/* SPDX-License-Identifier: Apache-2.0 */
/* contest: arms that exploit one explorer's records, side by side, kernel by kernel (droplet.md 3.6): the exploiter
 * comparison, the micro-kernels, the variance study, the studies of p-threshold and speculation. Every number comes
 * from the records of a campaign. Ratios above 1 favour the exploiter. */
#pragma once
#include "harness/experiment/experiment.h"
#include "harness/record/store.h"
#include "harness/stats/estimate.h"

#define CONTEST_P 0.05

/* A two-sided t-test of equal variances against the explorer's winner, at CONTEST_P. */
enum contest_sign { SIGN_BETTER, SIGN_WORSE, SIGN_OPEN, SIGN_COUNT };

struct contest_kernel { /* one kernel, one seed; seconds, INFINITY where nothing is valid */
    const char *name;
    double explorer_s, seed_s; /* best of all the explorer's records; of its first k: the seed */
    double own_s, kept_s;      /* best of the exploiter's own records; not worse than the seed: what one would use */
    double explorer_again_s, kept_again_s; /* medians of the shoot-out's launches; NaN: not timed again */
    double p, p_again;                     /* kept against explorer, over repeats; over launches; NaN: no verdict */
    double spread, spread_again;           /* sd / mean of kept, over repeats; over launches; NaN: fewer than two */
    int64_t records, failed;               /* of the exploiter alone */
    double cost_s, wall_s;                 /* of the exploiter alone: summed record cost, wall clock */
    double explorer_cost_s, seed_cost_s;   /* records of the kernel x mean record cost, all and first k */
};
/* The ratios; above 1 favours the exploiter. */
enum contest_ratio {
    RATIO_OWN,        /* explorer's kernel sum / that of the exploiter's own records */
    RATIO_KEPT,       /* / the better of these and the seed: what one would use */
    RATIO_AGAIN,      /* the same in the shoot-out's times */
    RATIO_GAIN,       /* seed's sum / kept sum */
    RATIO_RECORDS,    /* explorer's summed record cost / (that of the first k + the exploiter's) */
    RATIO_WALL,       /* explorer's wall clock / (that of the first k records + the exploiter's) */
    RATIO_EACH,       /* geometric mean over kernels of RATIO_KEPT, each kernel alike */
    RATIO_EACH_AGAIN, /* of RATIO_AGAIN */
    RATIO_COUNT
};
const char *contest_ratio_word(enum contest_ratio r); /* "own_speedup", ...: the names in JSON and in claims */
bool contest_is_again(enum contest_ratio r);          /* is it of the shoot-out's times? */

struct contest_sums {         /* of the kernels of a network (means over seeds), or over networks */
    int64_t kernels, counted; /* counted: kernels whose own_s is finite, in every seed */
    double explorer_s, seed_s, own_s, kept_s, explorer_again_s, kept_again_s;
    double cost_s, wall_s; /* exploitation alone */
    int64_t records, failed;
    double explorer_wall_s, seed_wall_s;
    double ratio[RATIO_COUNT];   /* geometric means when joined */
    double spread, spread_again; /* medians over kernels */
    int sign[SIGN_COUNT], sign_again[SIGN_COUNT];
    int networks; /* joined rows: networks in the geometric means; of which complete */
    int complete;
};
struct contest_clock { /* wall clock of the explorer's whole run, and of its first k records of each kernel */
    double explorer_s, seed_s;
};
struct contest_row { /* one network, one entrant */
    const char *network;
    struct contest_kernel *const *kernels; /* by seed - 1: nkernels of them, NULL where the cell is not done */
    int nkernels, seeds;                   /* seeds done */
    const struct contest_clock *clocks;    /* by seed - 1 */
    struct contest_sums sums;
    const struct contest_sums *const *by_seed; /* by seed - 1, NULL where the cell is not done */
    struct estimate estimate[RATIO_COUNT];     /* over seeds; of RATIO_EACH... over kernels when there is one seed */
};
struct contest_entrant { /* an arm at one k */
    const char *label, *searcher, *settings;
    int64_t k;
    struct contest_row *rows; /* by network of the experiment */
    struct contest_sums all;  /* networks that are done and complete in the ratios */
    /* Over seeds; of one seed over networks, RATIO_EACH... over all kernels. Holm's family: the entrants. */
    struct estimate estimate[RATIO_COUNT];
};
struct contest {
    struct contest_entrant *entrants;
    int nentrants, nnetworks;
    int64_t seeds, first_seed; /* kernels[i] is of seed first_seed + i */
};
/* The experiment needs an arm that explores another. */
MUST_CHECK bool contest_make(struct arena *a, const struct experiment *e, struct store *s, struct contest *out,
                             struct err *err);
