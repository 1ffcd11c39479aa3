/* SPDX-License-Identifier: Apache-2.0 */
/* pairwise: the other's time over the first's, seed by seed. */
#include "harness/report/data/pairwise.h"

struct pairwise *pairwise_make(const struct comparisons *c, double margin, int *n)
{
    const struct results *r = c->results;
    struct arena *a = r->records->a;
    bool retimed = quantity_is_retimed(c->headline);
    const enum quantity q[PAIRWISE_COUNT] = {
        [PAIRWISE_KERNELS] = retimed ? QUANTITY_PAIR_RETIMED : QUANTITY_PAIR_KERNEL,
        [PAIRWISE_EACH] = retimed ? QUANTITY_PAIR_EACH_RETIMED : QUANTITY_PAIR_EACH,
        [PAIRWISE_RECORDS] = QUANTITY_PAIR_RECORDS,
        [PAIRWISE_WALL] = QUANTITY_PAIR_WALL,
    };
    struct pairwise *all = ARENA_ARRAY(a, struct pairwise, c->narms + 1);
    struct estimate **family = ARENA_ARRAY(a, struct estimate *, c->narms + 1);
    *n = 0;
    for (int i = 1; i < c->narms && !c->selection->one_pair && !c->selection->race; i++) {
        if (r->arms[c->arms[i]].k != r->arms[c->arms[0]].k)
            continue;
        struct pairwise *p = &all[(*n)++];
        *p = (struct pairwise){.first = c->arms[0], .other = c->arms[i]};
        for (int k = 0; k < PAIRWISE_COUNT; k++)
            comparison_estimate(r, q[k], p->other, p->first, -1, margin, &p->ratio[k]);
    }
    for (int k = 0; k < PAIRWISE_COUNT; k++) {
        for (int i = 0; i < *n; i++)
            family[i] = &all[i].ratio[k];
        estimate_correct(a, family, *n);
    }
    return all;
}
