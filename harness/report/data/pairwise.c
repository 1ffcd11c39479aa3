/* SPDX-License-Identifier: Apache-2.0 */
/* pairwise: the other's time over the first's, seed by seed. */
#include "harness/report/data/pairwise.h"

#include "harness/base/text.h"
#include "harness/base/vec.h"
#include "harness/stats/design_effect.h"
#include "harness/stats/geometric_mean.h"

#include <math.h>
#include <string.h>

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

/* ---- conditions ---- */

struct condition_pair {
    int with, without; /* arms */
    int effect;
};
struct condition_pairs {
    VEC(struct condition_pair) pairs;
    VEC(struct condition_effect) effects;
};

static int effect_of(struct condition_pairs *p, const char *condition)
{
    for (int i = 0; i < p->effects.n; i++)
        if (str_eq(p->effects.at[i].condition, condition))
            return i;
    vec_push(&p->effects, (struct condition_effect){.condition = condition});
    return p->effects.n - 1;
}

/* The arm that is under all conditions of this one but those n characters of their text; -1: there is none. */
static int arm_without(const struct results *r, int arm, const char *part, size_t n)
{
    const struct result_arm *x = &r->arms[arm];
    const char *after = part + n;
    size_t before = (size_t)(part - x->conditions);
    if (*after)
        after += strlen(", ");
    else
        before -= before ? strlen(", ") : 0;
    const char *left = arena_printf(r->records->a, "%.*s%s", (int)before, x->conditions, after);
    for (int i = 0; i < r->narms; i++)
        if (r->arms[i].remeasures && r->arms[i].explorer == x->explorer && r->arms[i].k == x->k &&
            str_eq(r->arms[i].conditions, left))
            return i;
    return -1;
}

static void find_pairs(const struct results *r, struct condition_pairs *out)
{
    for (int arm = 0; arm < r->narms; arm++)
        for (const char *part = r->arms[arm].remeasures ? r->arms[arm].conditions : ""; *part;) {
            const char *end = strstr(part, ", ");
            size_t n = end ? (size_t)(end - part) : strlen(part);
            int without = arm_without(r, arm, part, n);
            if (without >= 0) {
                int effect = effect_of(out, arena_strn(r->records->a, part, n));
                vec_push(&out->pairs, (struct condition_pair){arm, without, effect});
                out->effects.at[effect].pairs++;
            }
            part += n + (end ? strlen(", ") : 0);
        }
}

/* Of one kernel of a network in one seed; NAN: some of its pairs have no time. */
static double effect_on(const struct results *r, const struct condition_pairs *p, int effect, enum quantity q,
                        int network, int kernel, int seed)
{
    struct geometric_mean mean = {0};
    for (int i = 0; i < p->pairs.n; i++) {
        const struct condition_pair *one = &p->pairs.at[i];
        const struct cell_result *with = results_cell(r, one->with, network, seed),
                                 *without = results_cell(r, one->without, network, seed);
        if (one->effect == effect && with && without)
            geometric_mean_take(&mean, quantity_value(q, without, with, kernel));
    }
    return mean.n == p->effects.at[effect].pairs ? geometric_mean_of(&mean) : (double)NAN;
}

static void estimate_effect(const struct results *r, const struct condition_pairs *p, int effect, enum quantity q,
                            double margin, struct estimate *out)
{
    struct arena *a = r->records->a;
    int rows = 0, most = 1;
    for (int n = 0; n < r->nnetworks; n++)
        most += r->networks[n].kernels;
    double *v = ARENA_ARRAY(a, double, (int64_t)most * r->seeds);
    for (int n = 0; n < r->nnetworks; n++)
        for (int k = 0; k < r->networks[n].kernels; k++, rows++)
            for (int s = 0; s < r->seeds; s++)
                v[rows * r->seeds + s] = effect_on(r, p, effect, q, n, k, s);
    estimate_of(a, v, rows, r->seeds, margin, out);
    design_effect_widen(out, r->kernels_design);
}

struct condition_effect *pairwise_conditions(const struct comparisons *c, double margin, int *n)
{
    const struct results *r = c->results;
    struct condition_pairs p = {0};
    find_pairs(r, &p);
    for (int i = 0; i < p.effects.n; i++) {
        estimate_effect(r, &p, i, QUANTITY_PAIR_EACH, margin, &p.effects.at[i].tuned);
        estimate_effect(r, &p, i, QUANTITY_PAIR_EACH_RETIMED, margin, &p.effects.at[i].retimed);
    }
    *n = p.effects.n;
    struct condition_effect *out = ARENA_DUP(r->records->a, p.effects.at, struct condition_effect, p.effects.n);
    vec_free(&p.effects);
    vec_free(&p.pairs);
    return out;
}
