/* SPDX-License-Identifier: Apache-2.0 */
/* control_arms: sides of the control arms' cells (arm_result.c) and their ratios. */
#include "harness/report/data/control_arms.h"

#include <math.h>

struct arms { /* NULL: the experiment has none */
    const struct arm *descent, *own, *own_descent, *again;
};
struct maker {
    struct arm_results sides;
    struct arena *a;
    const struct experiment *e;
    struct arms arms;
};

static const struct arm *arm_named(const struct experiment *e, const char *name)
{
    for (int i = 0; i < e->narms; i++)
        if (str_eq(e->arms[i].name, name))
            return &e->arms[i];
    return NULL;
}

static struct arms find_arms(const struct experiment *e)
{
    struct arms out = {0};
    for (int i = 0; i < e->narms; i++) {
        const struct arm *a = &e->arms[i], *from = a->explore ? arm_named(e, a->explore) : NULL;
        const struct arm **to = arm_is_remeasure(a)    ? &out.again
                                : !a->explore && a->nk ? &out.own
                                : from && from->nk     ? &out.own_descent
                                : from                 ? &out.descent
                                                       : NULL;
        if (to && !*to)
            *to = a;
    }
    return out;
}

static int cell_of(const struct maker *m, const struct arm *arm, const char *network, int64_t k, int64_t seed)
{
    return arm ? arm_results_cell(&m->sides, network, arena_printf(m->a, "%s-%lld", arm->name, (long long)k), seed)
               : -1;
}

/* One seed ---------------------------------------------------------------------------------------------------- */

struct parts { /* sides of one seed; trials 0: not there */
    struct arm_result cut, own, descent, own_descent, again;
};

static bool read_parts(struct maker *m, const char *network, int64_t k, int64_t seed, struct parts *p)
{
    const struct arms *arms = &m->arms;
    int log = arm_results_cell(&m->sides, network, arms->descent->explore, seed);
    int descent = cell_of(m, arms->descent, network, k, seed), own = cell_of(m, arms->own, network, k, seed);
    int own_descent = cell_of(m, arms->own_descent, network, k, seed),
        again = cell_of(m, arms->again, network, k, seed);
    int64_t shared = 0;
    *p = (struct parts){0};
    if (log < 0 || descent < 0)
        return true;
    return arm_result_explored(&m->sides, log, arm_result_seeds(&m->sides.cells[descent]), &p->cut) &&
           arm_result_exploited(&m->sides, descent, &p->cut, &p->descent, &shared) &&
           (own < 0 || arm_result_explored(&m->sides, own, 0, &p->own)) &&
           (own < 0 || own_descent < 0 ||
            arm_result_exploited(&m->sides, own_descent, &p->own, &p->own_descent, &shared)) &&
           (again < 0 || arm_result_explored(&m->sides, again, 0, &p->again));
}

/* One network, and the means ------------------------------------------------------------------------------------ */

struct gather { /* means of times, geometric means of ratios; what is not finite does not count */
    double sum;
    int n;
};

static void take(struct gather *g, double v)
{
    if (isfinite(v)) {
        g->sum += v;
        g->n++;
    }
}

static double mean(const struct gather *g)
{
    return g->n ? g->sum / g->n : NAN;
}

static double ratio(const struct arm_result *above, const struct arm_result *below, bool known)
{
    double v = above->kernel_s[SUM_PLAIN] / below->kernel_s[SUM_PLAIN];
    return known && isfinite(v) && v > 0 ? v : NAN;
}

/* One seed's ratios, NAN where an arm is not there. */
static void seed_ratios(const struct parts *p, double v[CONTROL_ARMS_RATIOS])
{
    bool own = p->own.trials > 0, descent = own && p->own_descent.trials > p->own.trials, timed = p->again.trials > 0;
    v[CONTROL_ARMS_OWN_KERNEL] = ratio(&p->cut, &p->own, own);
    v[CONTROL_ARMS_OWN_SEARCH] = own ? p->cut.search_s[CLOCK_WALL] / p->own.search_s[CLOCK_WALL] : NAN;
    v[CONTROL_ARMS_OWN_DESCENT] = ratio(&p->descent, &p->own_descent, descent);
    v[CONTROL_ARMS_AGAIN] = ratio(&p->cut, &p->again, timed);
    v[CONTROL_ARMS_SEARCH] = ratio(&p->again, &p->descent, timed);
}

/* v: CONTROL_ARMS_RATIOS matrices of networks x seeds, of which this network's row is filled. */
static bool network_row(struct maker *m, int network, int64_t k, double *const v[CONTROL_ARMS_RATIOS],
                        struct control_arms_row *out)
{
    struct gather kernel[CONTROL_ARMS_WAYS] = {0}, search[CONTROL_ARMS_WAYS] = {0}, seed = {0}, again = {0},
                  winner = {0};
    int seeds = (int)m->e->seeds;
    const char *name = m->e->networks[network]->name;
    for (int i = 0; i < seeds; i++) {
        struct parts p;
        double one[CONTROL_ARMS_RATIOS];
        if (!read_parts(m, name, k, m->e->seed_base + i + 1, &p))
            return false;
        bool own = p.own.trials > 0, timed = p.again.trials > 0;
        const struct arm_result *ways[] = {&p.cut, &p.own};
        for (int w = 0; w < CONTROL_ARMS_WAYS && own; w++) {
            take(&kernel[w], ways[w]->kernel_s[SUM_PLAIN]);
            take(&search[w], ways[w]->search_s[CLOCK_WALL]);
        }
        take(&seed, timed ? p.cut.kernel_s[SUM_PLAIN] : (double)NAN);
        take(&again, timed ? p.again.kernel_s[SUM_PLAIN] : (double)NAN);
        take(&winner, timed ? p.descent.kernel_s[SUM_PLAIN] : (double)NAN);
        seed_ratios(&p, one);
        for (int r = 0; r < CONTROL_ARMS_RATIOS; r++)
            v[r][network * seeds + i] = one[r];
    }
    *out = (struct control_arms_row){.network = name,
                                     .k = k,
                                     .kernel_s = {mean(&kernel[0]), mean(&kernel[1])},
                                     .search_s = {mean(&search[0]), mean(&search[1])},
                                     .seed_s = mean(&seed),
                                     .again_s = mean(&again),
                                     .winner_s = mean(&winner)};
    for (int r = 0; r < CONTROL_ARMS_RATIOS; r++)
        estimate_of(m->a, v[r] + network * seeds, 1, seeds, 0, &out->ratio[r]);
    return true;
}

static struct control_arms_row mean_row(struct maker *m, int64_t k, double *const v[CONTROL_ARMS_RATIOS])
{
    struct control_arms_row out = {
        .k = k, .kernel_s = {NAN, NAN}, .search_s = {NAN, NAN}, .seed_s = NAN, .again_s = NAN, .winner_s = NAN};
    for (int r = 0; r < CONTROL_ARMS_RATIOS; r++)
        estimate_of(m->a, v[r], m->e->nnetworks, (int)m->e->seeds, 0, &out.ratio[r]);
    return out;
}

bool control_arms_make(struct arena *a, const struct experiment *e, struct store *s, struct control_arms *out,
                       struct err *err)
{
    struct maker m = {.a = a, .e = e, .arms = find_arms(e)};
    *out = (struct control_arms){.separate = m.arms.own != NULL, .again = m.arms.again != NULL};
    if (!m.arms.descent || (!out->separate && !out->again))
        return true;
    if (!arm_results_open(&m.sides, a, s, err))
        return false;
    int nk = m.arms.descent->nk;
    struct control_arms_row *rows = ARENA_ARRAY(a, struct control_arms_row, (e->nnetworks + 1) * nk + 1);
    double *v[CONTROL_ARMS_RATIOS];
    for (int r = 0; r < CONTROL_ARMS_RATIOS; r++)
        v[r] = ARENA_ARRAY(a, double, e->nnetworks *(int)e->seeds + 1);
    for (int k = 0; k < nk; k++) {
        for (int i = 0; i < e->nnetworks; i++)
            if (!network_row(&m, i, m.arms.descent->k[k], v, &rows[i * nk + k]))
                return false;
        rows[e->nnetworks * nk + k] = mean_row(&m, m.arms.descent->k[k], v);
    }
    out->n = (e->nnetworks + 1) * nk;
    out->rows = rows;
    return true;
}

/* Printing ------------------------------------------------------------------------------------------------------ */

static void row_head(struct text *t, const struct control_arms_row *r)
{
    text_printf(t, "  %-16s %6lld", r->network ? r->network : "geometric mean", (long long)r->k);
}

/* "k = 10: kernel time 1.031 [1.010, 1.053], wall clock ...": n ratios from..., of a mean row. */
static void compare_line(const struct control_arms_row *r, enum control_arms_ratio from, const char *const *names,
                         int n, struct text *t)
{
    const struct estimate *first = &r->ratio[from];
    if (r->network || isnan(first->ratio))
        return;
    text_printf(t, "  k = %lld:", (long long)r->k);
    for (int i = 0; i < n; i++) {
        const struct estimate *e = &r->ratio[from + i];
        if (isnan(e->ratio))
            continue;
        text_printf(t, "%s %s %.3f", i ? "," : "", names[i], e->ratio);
        if (e->over != ESTIMATE_NOTHING)
            text_printf(t, " [%.3f, %.3f]%s", e->low, e->high, e->low > 1 || e->high < 1 ? " (differ)" : "");
    }
    if (first->over == ESTIMATE_NOTHING)
        text_add(t, "; one value, no interval\n");
    else
        text_printf(t, "; 95 %% over %d %s\n", first->n, first->over == ESTIMATE_SEEDS ? "seeds" : "networks");
}

void control_arms_compare(const struct control_arms *c, struct text *t)
{
    static const char *const separate[] = {"kernel time", "wall clock", "kernel time of the descents"};
    static const char *const again[] = {"measuring again", "searching"};
    if (c->separate)
        text_add(t, "cut or run of its own, geometric means of cut / own (differ: the interval is clear of 1)\n");
    for (int i = 0; i < c->n && c->separate; i++)
        compare_line(&c->rows[i], CONTROL_ARMS_OWN_KERNEL, separate, 3, t);
    if (c->again)
        text_add(t, "gain over the seed as recorded, taken apart\n");
    for (int i = 0; i < c->n && c->again; i++)
        compare_line(&c->rows[i], CONTROL_ARMS_AGAIN, again, 2, t);
}

void control_arms_text(const struct control_arms *c, struct text *t)
{
    if (c->separate)
        text_add(t,
                 "\nthe first k records of the one long log, beside a run of its own with k trials a kernel (ratios: "
                 "cut / own, above 1 favours the own run)\n"
                 "  network               k  kernel ms: cut      own  ratio  search s: cut     own  ratio  descents\n");
    for (int i = 0; i < c->n && c->separate; i++) {
        const struct control_arms_row *r = &c->rows[i];
        row_head(t, r);
        text_cell(t, 15, 3, 1e3 * r->kernel_s[CONTROL_ARMS_CUT]);
        text_cell(t, 8, 3, 1e3 * r->kernel_s[CONTROL_ARMS_OWN]);
        text_cell(t, 6, 3, r->ratio[CONTROL_ARMS_OWN_KERNEL].ratio);
        text_cell(t, 14, 1, r->search_s[CONTROL_ARMS_CUT]);
        text_cell(t, 7, 1, r->search_s[CONTROL_ARMS_OWN]);
        text_cell(t, 6, 2, r->ratio[CONTROL_ARMS_OWN_SEARCH].ratio);
        text_cell(t, 9, 3, r->ratio[CONTROL_ARMS_OWN_DESCENT].ratio);
        text_char(t, '\n');
    }
    if (c->again)
        text_add(
            t, "\nthe seeds measured again under the same regime: how much of a descent's gain is measuring, how much "
               "searching\n"
               "  network               k  seed ms: recorded    again   winner  gain of measuring  of searching\n");
    for (int i = 0; i < c->n && c->again; i++) {
        const struct control_arms_row *r = &c->rows[i];
        row_head(t, r);
        text_cell(t, 18, 3, 1e3 * r->seed_s);
        text_cell(t, 8, 3, 1e3 * r->again_s);
        text_cell(t, 8, 3, 1e3 * r->winner_s);
        text_cell(t, 18, 3, r->ratio[CONTROL_ARMS_AGAIN].ratio);
        text_cell(t, 13, 3, r->ratio[CONTROL_ARMS_SEARCH].ratio);
        text_char(t, '\n');
    }
    if (c->separate || c->again)
        text_char(t, '\n');
    control_arms_compare(c, t);
}

/* 95 % of the ratios from..., where there is more than one value. */
static void interval_members(struct text *t, const struct control_arms_row *r, const char *const *names,
                             enum control_arms_ratio from, int n)
{
    text_add(t, ", \"intervals\": {");
    for (int i = 0; i < n; i++) {
        const struct estimate *e = &r->ratio[from + i];
        text_printf(t, "%s\"%s\": {\"over\": \"%s\", \"n\": %d", i ? ", " : "", names[i],
                    e->over == ESTIMATE_SEEDS  ? "seeds"
                    : e->over == ESTIMATE_ROWS ? "networks"
                                               : "none",
                    e->n);
        text_member_number(t, "low", e->low);
        text_member_number(t, "high", e->high);
        text_member_number(t, "p", e->p);
        text_char(t, '}');
    }
    text_char(t, '}');
}

static void members(struct text *t, const struct control_arms_row *r, const char *const *names, const double *v, int n)
{
    text_add(t, "{\"network\": ");
    if (r->network)
        text_json(t, r->network);
    else
        text_add(t, "null");
    text_printf(t, ", \"k\": %lld", (long long)r->k);
    for (int i = 0; i < n; i++) {
        text_printf(t, ", \"%s\": ", names[i]);
        text_number(t, v[i]);
    }
}

void control_arms_json(const struct control_arms *c, struct text *t)
{
    static const char *const separate[] = {"cut_kernel_ms", "own_kernel_ms", "cut_search_s", "own_search_s",
                                           "own_kernel",    "own_search",    "own_descent"};
    static const char *const again[] = {"seed_ms", "again_ms", "winner_ms", "again_gain", "search_gain"};
    text_add(t, "{\"separate\": [");
    for (int i = 0; i < c->n && c->separate; i++) {
        const struct control_arms_row *r = &c->rows[i];
        const double v[] = {1e3 * r->kernel_s[0],
                            1e3 * r->kernel_s[1],
                            r->search_s[0],
                            r->search_s[1],
                            r->ratio[CONTROL_ARMS_OWN_KERNEL].ratio,
                            r->ratio[CONTROL_ARMS_OWN_SEARCH].ratio,
                            r->ratio[CONTROL_ARMS_OWN_DESCENT].ratio};
        text_add(t, i ? ", " : "");
        members(t, r, separate, v, 7);
        interval_members(t, r, separate + 4, CONTROL_ARMS_OWN_KERNEL, 3);
        text_add(t, "}");
    }
    text_add(t, "], \"again\": [");
    for (int i = 0; i < c->n && c->again; i++) {
        const struct control_arms_row *r = &c->rows[i];
        const double v[] = {1e3 * r->seed_s, 1e3 * r->again_s, 1e3 * r->winner_s, r->ratio[CONTROL_ARMS_AGAIN].ratio,
                            r->ratio[CONTROL_ARMS_SEARCH].ratio};
        text_add(t, i ? ", " : "");
        members(t, r, again, v, 5);
        interval_members(t, r, again + 3, CONTROL_ARMS_AGAIN, 2);
        text_add(t, "}");
    }
    text_add(t, "]}");
}
