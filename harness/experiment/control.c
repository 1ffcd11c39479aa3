/* SPDX-License-Identifier: Apache-2.0 */
/* control: sides of the control arms' cells (side.c) and their ratios. */
#include "harness/experiment/control.h"

#include <math.h>

struct arms { /* NULL: the experiment has none */
    const struct arm *descent, *own, *own_descent, *again;
};
struct maker {
    struct sides sides;
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
        const struct arm **to = arm_is_retime(a)       ? &out.again
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
    return arm ? sides_cell(&m->sides, network, arena_printf(m->a, "%s-%lld", arm->name, (long long)k), seed) : -1;
}

/* One seed ---------------------------------------------------------------------------------------------------- */

struct parts { /* sides of one seed; trials 0: not there */
    struct side cut, own, descent, own_descent, again;
};

static bool read_parts(struct maker *m, const char *network, int64_t k, int64_t seed, struct parts *p)
{
    const struct arms *arms = &m->arms;
    int log = sides_cell(&m->sides, network, arms->descent->explore, seed);
    int descent = cell_of(m, arms->descent, network, k, seed), own = cell_of(m, arms->own, network, k, seed);
    int own_descent = cell_of(m, arms->own_descent, network, k, seed),
        again = cell_of(m, arms->again, network, k, seed);
    int64_t shared = 0;
    *p = (struct parts){0};
    if (log < 0 || descent < 0)
        return true;
    return side_explored(&m->sides, log, side_seeds(&m->sides.cells[descent]), &p->cut) &&
           side_exploited(&m->sides, descent, &p->cut, &p->descent, &shared) &&
           (own < 0 || side_explored(&m->sides, own, 0, &p->own)) &&
           (own < 0 || own_descent < 0 || side_exploited(&m->sides, own_descent, &p->own, &p->own_descent, &shared)) &&
           (again < 0 || side_explored(&m->sides, again, 0, &p->again));
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

static void take_ratio(struct gather *g, double above, double below, bool known)
{
    double v = above / below;
    if (known && isfinite(v) && v > 0)
        take(g, log(v));
}

static double mean(const struct gather *g)
{
    return g->n ? g->sum / g->n : NAN;
}

static double ratio(const struct gather *g)
{
    return exp(mean(g));
}

static bool network_row(struct maker *m, const char *network, int64_t k, struct control_row *out)
{
    enum { OWN_KERNEL, OWN_SEARCH, OWN_DESCENT, AGAIN, SEARCH, RATIOS };
    struct gather r[RATIOS] = {0}, kernel[CONTROL_WAYS] = {0}, search[CONTROL_WAYS] = {0}, seed = {0}, again = {0},
                  winner = {0};
    for (int i = 0; i < m->sides.ncells; i++) { /* a cell of the long log for each seed */
        const struct store_cell *log = &m->sides.cells[i];
        struct parts p;
        if (!str_eq(log->arm, m->arms.descent->explore) || !str_eq(log->network, network))
            continue;
        if (!read_parts(m, network, k, log->seed, &p))
            return false;
        bool own = p.own.trials > 0, descent = own && p.own_descent.trials > p.own.trials, timed = p.again.trials > 0;
        const struct side *ways[] = {&p.cut, &p.own};
        for (int w = 0; w < CONTROL_WAYS && own; w++) {
            take(&kernel[w], ways[w]->kernel_s[SUM_PLAIN]);
            take(&search[w], ways[w]->search_s[CLOCK_WALL]);
        }
        take_ratio(&r[OWN_KERNEL], p.cut.kernel_s[SUM_PLAIN], p.own.kernel_s[SUM_PLAIN], own);
        take_ratio(&r[OWN_SEARCH], p.cut.search_s[CLOCK_WALL], p.own.search_s[CLOCK_WALL], own);
        take_ratio(&r[OWN_DESCENT], p.descent.kernel_s[SUM_PLAIN], p.own_descent.kernel_s[SUM_PLAIN], descent);
        take_ratio(&r[AGAIN], p.cut.kernel_s[SUM_PLAIN], p.again.kernel_s[SUM_PLAIN], timed);
        take_ratio(&r[SEARCH], p.again.kernel_s[SUM_PLAIN], p.descent.kernel_s[SUM_PLAIN], timed);
        take(&seed, timed ? p.cut.kernel_s[SUM_PLAIN] : NAN);
        take(&again, timed ? p.again.kernel_s[SUM_PLAIN] : NAN);
        take(&winner, timed ? p.descent.kernel_s[SUM_PLAIN] : NAN);
    }
    *out = (struct control_row){.network = network,
                                .k = k,
                                .kernel_s = {mean(&kernel[0]), mean(&kernel[1])},
                                .search_s = {mean(&search[0]), mean(&search[1])},
                                .own_kernel = ratio(&r[OWN_KERNEL]),
                                .own_search = ratio(&r[OWN_SEARCH]),
                                .own_descent = ratio(&r[OWN_DESCENT]),
                                .seed_s = mean(&seed),
                                .again_s = mean(&again),
                                .winner_s = mean(&winner),
                                .again_gain = ratio(&r[AGAIN]),
                                .search_gain = ratio(&r[SEARCH])};
    return true;
}

static struct control_row mean_row(const struct control_row *rows, int n, int64_t k)
{
    struct gather own_kernel = {0}, own_search = {0}, own_descent = {0}, again = {0}, search = {0};
    for (int i = 0; i < n; i++) {
        if (rows[i].k != k)
            continue;
        take_ratio(&own_kernel, rows[i].own_kernel, 1, true);
        take_ratio(&own_search, rows[i].own_search, 1, true);
        take_ratio(&own_descent, rows[i].own_descent, 1, true);
        take_ratio(&again, rows[i].again_gain, 1, true);
        take_ratio(&search, rows[i].search_gain, 1, true);
    }
    return (struct control_row){.k = k,
                                .kernel_s = {NAN, NAN},
                                .search_s = {NAN, NAN},
                                .own_kernel = ratio(&own_kernel),
                                .own_search = ratio(&own_search),
                                .own_descent = ratio(&own_descent),
                                .seed_s = NAN,
                                .again_s = NAN,
                                .winner_s = NAN,
                                .again_gain = ratio(&again),
                                .search_gain = ratio(&search)};
}

bool control_make(struct arena *a, const struct experiment *e, struct store *s, struct control *out, struct err *err)
{
    struct maker m = {.a = a, .e = e, .arms = find_arms(e)};
    *out = (struct control){.separate = m.arms.own != NULL, .again = m.arms.again != NULL};
    if (!m.arms.descent || (!out->separate && !out->again))
        return true;
    if (!sides_open(&m.sides, a, s, err))
        return false;
    int nk = m.arms.descent->nk;
    struct control_row *rows = ARENA_ARRAY(a, struct control_row, (e->nnetworks + 1) * nk + 1);
    for (int i = 0; i < e->nnetworks; i++)
        for (int k = 0; k < nk; k++)
            if (!network_row(&m, e->networks[i]->name, m.arms.descent->k[k], &rows[out->n++]))
                return false;
    int nrows = out->n;
    for (int k = 0; k < nk; k++)
        rows[out->n++] = mean_row(rows, nrows, m.arms.descent->k[k]);
    out->rows = rows;
    return true;
}

/* Printing ------------------------------------------------------------------------------------------------------ */

static void row_head(struct text *t, const struct control_row *r)
{
    text_printf(t, "  %-16s %6lld", r->network ? r->network : "geometric mean", (long long)r->k);
}

void control_text(const struct control *c, struct text *t)
{
    if (c->separate)
        text_add(t,
                 "\nthe first k records of the one long log, beside a run of its own with k trials a kernel (ratios: "
                 "cut / own, above 1 favours the own run)\n"
                 "  network               k  kernel ms: cut      own  ratio  search s: cut     own  ratio  descents\n");
    for (int i = 0; i < c->n && c->separate; i++) {
        const struct control_row *r = &c->rows[i];
        row_head(t, r);
        text_cell(t, 15, 3, 1e3 * r->kernel_s[CONTROL_CUT]);
        text_cell(t, 8, 3, 1e3 * r->kernel_s[CONTROL_OWN]);
        text_cell(t, 6, 3, r->own_kernel);
        text_cell(t, 14, 1, r->search_s[CONTROL_CUT]);
        text_cell(t, 7, 1, r->search_s[CONTROL_OWN]);
        text_cell(t, 6, 2, r->own_search);
        text_cell(t, 9, 3, r->own_descent);
        text_char(t, '\n');
    }
    if (c->again)
        text_add(
            t, "\nthe seeds measured again under the same regime: how much of a descent's gain is measuring, how much "
               "searching\n"
               "  network               k  seed ms: recorded    again   winner  gain of measuring  of searching\n");
    for (int i = 0; i < c->n && c->again; i++) {
        const struct control_row *r = &c->rows[i];
        row_head(t, r);
        text_cell(t, 18, 3, 1e3 * r->seed_s);
        text_cell(t, 8, 3, 1e3 * r->again_s);
        text_cell(t, 8, 3, 1e3 * r->winner_s);
        text_cell(t, 18, 3, r->again_gain);
        text_cell(t, 13, 3, r->search_gain);
        text_char(t, '\n');
    }
}

static void members(struct text *t, const struct control_row *r, const char *const *names, const double *v, int n)
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
    text_add(t, "}");
}

void control_json(const struct control *c, struct text *t)
{
    static const char *const separate[] = {"cut_kernel_ms", "own_kernel_ms", "cut_search_s", "own_search_s",
                                           "own_kernel",    "own_search",    "own_descent"};
    static const char *const again[] = {"seed_ms", "again_ms", "winner_ms", "again_gain", "search_gain"};
    text_add(t, "{\"separate\": [");
    for (int i = 0; i < c->n && c->separate; i++) {
        const struct control_row *r = &c->rows[i];
        const double v[] = {1e3 * r->kernel_s[0], 1e3 * r->kernel_s[1], r->search_s[0], r->search_s[1],
                            r->own_kernel,        r->own_search,        r->own_descent};
        text_add(t, i ? ", " : "");
        members(t, r, separate, v, 7);
    }
    text_add(t, "], \"again\": [");
    for (int i = 0; i < c->n && c->again; i++) {
        const struct control_row *r = &c->rows[i];
        const double v[] = {1e3 * r->seed_s, 1e3 * r->again_s, 1e3 * r->winner_s, r->again_gain, r->search_gain};
        text_add(t, i ? ", " : "");
        members(t, r, again, v, 5);
    }
    text_add(t, "]}");
}
