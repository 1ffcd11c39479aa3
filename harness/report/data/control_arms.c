/* SPDX-License-Identifier: Apache-2.0 */
/* control_arms: which arm is which follows from what it explores. */
#include "harness/report/data/control_arms.h"

#include <math.h>

enum role { DESCENT, SEPARATE, SEPARATE_DESCENT, AGAIN, ROLES };
struct group { /* arms at one k; -1: the experiment has none */
    int arm[ROLES];
};

static bool is_separate(const struct result_arm *a)
{
    return a->explorer < 0 && a->k > 0;
}

static enum role role_of(const struct results *r, int arm)
{
    const struct result_arm *a = &r->arms[arm];
    return a->remeasures                                            ? AGAIN
           : is_separate(a)                                         ? SEPARATE
           : a->explorer >= 0 && is_separate(&r->arms[a->explorer]) ? SEPARATE_DESCENT
                                                                    : ROLES;
}

static struct group group_of(const struct comparisons *c, int descent)
{
    const struct results *r = c->results;
    struct group g = {{descent, -1, -1, -1}};
    for (int i = 0; i < r->narms; i++) {
        enum role role = role_of(r, i);
        if (role != ROLES && g.arm[role] < 0 && r->arms[i].k == r->arms[descent].k)
            g.arm[role] = i;
    }
    return g;
}

struct mean { /* over what is finite */
    double sum;
    int n;
};

static void take(struct mean *m, double v)
{
    m->sum += isfinite(v) ? v : 0;
    m->n += isfinite(v);
}

static double mean_of(const struct mean *m)
{
    return m->n ? m->sum / m->n : NAN;
}

/* Kernel sum and wall clock of a part of one arm, over the seeds in which `beside` is done too. */
static double times(const struct results *r, int arm, int beside, int network, enum part part, bool search)
{
    struct mean m = {0};
    for (int s = 0; s < r->seeds && arm >= 0 && beside >= 0; s++) {
        const struct cell_result *c = results_cell(r, arm, network, s);
        if (c && results_cell(r, beside, network, s))
            take(&m, search ? c->of[part].search_s[CLOCK_WALL] : c->of[part].kernel_s[SUM_PLAIN]);
    }
    return mean_of(&m);
}

static void ratio(const struct results *r, enum quantity q, int over, int under, int network, struct estimate *out)
{
    *out = (struct estimate){.ratio = NAN, .low = NAN, .high = NAN, .p = NAN, .holm = NAN};
    if (over >= 0 && under >= 0)
        comparison_estimate(r, q, over, under, network, 0, out);
}

/* -1: such an arm is not there, and differs in nothing. */
static const char *unlike(const struct results *r, int arm, int over)
{
    return arm < 0 || over < 0 ? NULL : results_unlike(r, r->records->a, r->arms[arm].label, r->arms[over].label);
}

static void make_row(const struct results *r, const struct group *g, int network, struct control_arms_row *out)
{
    const int *arm = g->arm, explorer = r->arms[arm[DESCENT]].explorer;
    const char *separate = unlike(r, arm[SEPARATE], explorer), *again = unlike(r, arm[AGAIN], explorer);
    *out = (struct control_arms_row){.network = network, .k = r->arms[arm[DESCENT]].k};
    out->unlike_separate = separate ? separate : unlike(r, arm[SEPARATE_DESCENT], arm[DESCENT]);
    out->unlike_again = again ? again : unlike(r, arm[AGAIN], arm[DESCENT]);
    ratio(r, QUANTITY_SEPARATE_KERNEL, arm[DESCENT], arm[SEPARATE], network, &out->ratio[CONTROL_ARMS_KERNEL]);
    ratio(r, QUANTITY_SEPARATE_SEARCH, arm[DESCENT], arm[SEPARATE], network, &out->ratio[CONTROL_ARMS_SEARCH]);
    ratio(r, QUANTITY_SEPARATE_DESCENT, arm[DESCENT], arm[SEPARATE_DESCENT], network,
          &out->ratio[CONTROL_ARMS_DESCENT]);
    ratio(r, QUANTITY_REMEASURE_GAIN, arm[DESCENT], arm[AGAIN], network, &out->ratio[CONTROL_ARMS_REMEASURED]);
    ratio(r, QUANTITY_REMEASURE_SEARCH, arm[AGAIN], arm[DESCENT], network, &out->ratio[CONTROL_ARMS_FOUND]);
    out->cut_s = out->separate_s = out->cut_search_s = out->separate_search_s = NAN;
    out->seed_s = out->again_s = out->kept_s = NAN;
    if (network < 0)
        return;
    out->cut_s = times(r, arm[DESCENT], arm[SEPARATE], network, PART_SEED, false);
    out->separate_s = times(r, arm[SEPARATE], arm[DESCENT], network, PART_OWN, false);
    out->cut_search_s = times(r, arm[DESCENT], arm[SEPARATE], network, PART_SEED, true);
    out->separate_search_s = times(r, arm[SEPARATE], arm[DESCENT], network, PART_OWN, true);
    out->seed_s = times(r, arm[DESCENT], arm[AGAIN], network, PART_SEED, false);
    out->again_s = times(r, arm[AGAIN], arm[DESCENT], network, PART_OWN, false);
    out->kept_s = times(r, arm[DESCENT], arm[AGAIN], network, PART_KEPT, false);
}

void control_arms_make(const struct comparisons *c, struct control_arms *out)
{
    const struct results *r = c->results;
    int rows = r->nnetworks + 1;
    *out = (struct control_arms){.rows = ARENA_ARRAY(r->records->a, struct control_arms_row, rows * c->narms + 1)};
    for (int k = 0; k < c->narms && c->selection->one_pair; k++) {
        struct group g = group_of(c, c->arms[k]);
        out->separate = out->separate || g.arm[SEPARATE] >= 0;
        out->again = out->again || g.arm[AGAIN] >= 0;
        for (int n = 0; n < rows; n++)
            make_row(r, &g, n < r->nnetworks ? n : -1, &out->rows[n * c->narms + k]);
    }
    out->n = out->separate || out->again ? rows * c->narms : 0;
}
