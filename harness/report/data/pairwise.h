/* SPDX-License-Identifier: Apache-2.0 */
/* pairwise: arms against arms. The first exploiter of a report against each other one at the same k, without the
 * explorer between them: both started from the same records, so what the explorer found drops out. The arms that an
 * experiment declared an answer by. The conditions of arms that measure the same programs. */
#pragma once
#include "harness/report/data/comparison.h"

enum pairwise_ratio {
    PAIRWISE_KERNELS, /* kernel sums of what one would use; re-timed where the headline is */
    PAIRWISE_EACH,    /* the same, each kernel alike */
    PAIRWISE_RECORDS, /* cost of exploitation alone, summed records */
    PAIRWISE_WALL,    /* on the wall clock */
    PAIRWISE_COUNT
};
struct pairwise {
    int first, other; /* arms; above 1 favours the first */
    struct estimate ratio[PAIRWISE_COUNT];
};
/* n of them, in the arena of the records; 0: one arm only. Holm's family: the others. */
struct pairwise *pairwise_make(const struct comparisons *c, double margin, int *n);
/* The arms that count (keys answer_*), each against the one that is declared, over the networks of the answer: their
 * kernels, NAN unless all of these networks are done in every seed. n of them; no other ratio is made. */
struct pairwise *pairwise_declared(const struct comparisons *c, const struct experiment *e, double margin, int *n);

/* What one condition (struct conditions) does to given programs: arms that only measure their explorer's best again,
 * under it and, all else equal, not under it. Every kernel alike, of each the geometric mean over these pairs of arms;
 * the interval is over kernels where there is one seed. Above 1: kernels are faster under it. */
struct condition_effect {
    const char *condition; /* "layout=1" */
    int pairs;             /* of arms */
    struct estimate tuned, retimed;
};
struct condition_effect *pairwise_conditions(const struct comparisons *c, double margin, int *n);
