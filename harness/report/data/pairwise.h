/* SPDX-License-Identifier: Apache-2.0 */
/* pairwise: the first exploiter of an experiment against each other one at the same k, without the explorer between
 * them: both started from the same records, so a seed's luck in exploring drops out. Above 1 favours the first. */
#pragma once
#include "harness/base/text.h"
#include "harness/stats/estimate.h"

struct report;
enum pairwise_ratio {
    PAIRWISE_KERNELS, /* kernel sums of what one would use, the other's over the first's; re-timed where the headline is
                       */
    PAIRWISE_EACH,    /* the same, each kernel alike */
    PAIRWISE_RECORDS, /* cost of exploitation alone, summed records */
    PAIRWISE_WALL,    /* on the wall clock */
    PAIRWISE_COUNT
};
struct pairwise {
    const char *first, *other; /* labels */
    struct estimate of[PAIRWISE_COUNT];
};
struct pairwises {
    struct pairwise *all;
    int n; /* 0: one arm only */
};
/* In r's arena. Holm's family: the rivals. The rest prints r->duels. */
struct pairwises pairwises_make(const struct report *r);
void pairwises_text(const struct report *r, struct text *t); /* nothing when there are none */
void pairwises_html(const struct report *r, struct text *t);
void pairwises_json(const struct report *r, struct text *t); /* an array */
