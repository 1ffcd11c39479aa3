/* SPDX-License-Identifier: Apache-2.0 */
/* pairwise: the other's time over the first's, seed by seed. */
#include "harness/report/data/pairwise.h"

#include "harness/base/text.h"
#include "harness/stats/geometric_mean.h"

#include <math.h>

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

/* ---- what was declared ---- */

static bool is_among(const struct setting_strings *names, const char *name)
{
    for (int i = 0; i < names->n; i++)
        if (str_eq(names->at[i], name))
            return true;
    return false;
}

/* The arm of that name at the k of another; "": its explorer. -1: there is none. */
static int arm_beside(const struct results *r, int arm, const char *name)
{
    int at = *name ? 0 : r->arms[arm].base;
    while (*name && at < r->narms &&
           (!str_eq(r->arms[at].name, name) || (r->arms[at].k && r->arms[at].k != r->arms[arm].k)))
        at++;
    return at < r->narms ? at : -1;
}

static bool is_whole(const struct results *r, enum quantity q, int over, int under)
{
    for (int n = 0; n < r->nnetworks; n++)
        for (int s = 0; s < r->seeds; s++) {
            const struct cell_result *x = results_cell(r, over, n, s), *y = results_cell(r, under, n, s);
            if (!x || !y || !ratio_usable(quantity_value(q, x, y, -1)))
                return false;
        }
    return true;
}

struct pairwise *pairwise_declared(const struct comparisons *c, const struct experiment *e, double margin, int *n)
{
    const struct results *r = c->results;
    struct results some;
    enum quantity q = quantity_is_retimed(c->headline) ? QUANTITY_PAIR_RETIMED : QUANTITY_PAIR_KERNEL;
    struct pairwise *all = ARENA_ARRAY(r->records->a, struct pairwise, c->narms + 1);
    bool have = results_of_networks(r, &e->answer_networks, &some);
    *n = 0;
    for (int i = 0; i < c->narms && e->answer_networks.n; i++) {
        const struct result_arm *arm = &r->arms[c->arms[i]];
        int over = arm_beside(r, c->arms[i], e->answer_over);
        if (over < 0 || over == c->arms[i] || (e->answer_arms.n && !is_among(&e->answer_arms, arm->name)))
            continue;
        struct pairwise *p = &all[(*n)++];
        *p = (struct pairwise){.first = c->arms[i], .other = over};
        p->ratio[PAIRWISE_KERNELS].ratio = NAN;
        if (have && is_whole(&some, q, over, c->arms[i]))
            comparison_estimate(&some, q, over, c->arms[i], -1, margin, &p->ratio[PAIRWISE_KERNELS]);
    }
    return all;
}
