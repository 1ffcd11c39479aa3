/* SPDX-License-Identifier: Apache-2.0 */
/* duel: the first exploiter of an experiment against each other one at the same k, without the explorer between them:
 * both started from the same records, so a seed's luck in exploring drops out. Above 1 favours the first. */
#pragma once
#include "harness/base/text.h"
#include "harness/stats/estimate.h"

struct report;
enum duel_ratio {
    DUEL_KERNELS, /* kernel sums of what one would use, the other's over the first's; re-timed where the headline is */
    DUEL_EACH,    /* the same, each kernel alike */
    DUEL_RECORDS, /* cost of exploitation alone, summed records */
    DUEL_WALL,    /* on the wall clock */
    DUEL_COUNT
};
struct duel {
    const char *first, *other; /* labels */
    struct estimate of[DUEL_COUNT];
};
struct duels {
    struct duel *all;
    int n; /* 0: one arm only */
};
/* In r's arena. Holm's family: the rivals. The rest prints r->duels. */
struct duels duels_make(const struct report *r);
void duels_text(const struct report *r, struct text *t); /* nothing when there are none */
void duels_html(const struct report *r, struct text *t);
void duels_json(const struct report *r, struct text *t); /* an array */
