/* SPDX-License-Identifier: Apache-2.0 */
/* duel_results: the same intervals that ended the launches (harness/tune/duel_run.c), from the same seed. */
#include "harness/report/data/duel_results.h"

#include "harness/record/node_record.h"

#include <math.h>

struct duel_gate duel_gate(struct arena *a, const struct duel_interval *null, double asked, bool awaited)
{
    struct duel_gate g = {.state = VERDICT_GATES_UNKNOWN, .null = *null, .asked = asked, .cure = "--resume"};
    if (awaited) {
        g.reason = "the duels are not finished";
    } else if (null->kernels == 0 || !isfinite(null->half_width)) {
        g.reason = "no null pair was timed";
    } else if (duel_null_fails(null, asked)) {
        g.state = VERDICT_GATES_FAILED;
        g.reason = arena_printf(a, "programs against themselves differ by %+.2f %%, 95 %% interval %+.2f to %+.2f %%",
                                100 * (null->ratio - 1), 100 * (null->low - 1), 100 * (null->high - 1));
        g.cure = "--retime";
    } else if (null->half_width > asked) {
        g.reason =
            arena_printf(a, "the interval of the null pairs is %.2f %% wide to either side, and %.2f %% was asked",
                         100 * null->half_width, 100 * asked);
        g.cure = "--retime";
    } else {
        g.state = VERDICT_GATES_PASSED;
        g.cure = NULL;
    }
    return g;
}

static bool is_null(const struct duel_contrast *c)
{
    return !c->arm;
}

/* ---- machines ---- */

struct nodes {
    const char **of;   /* of each cell */
    const char **name; /* n of them, of all cells that are done */
    int n;
};

static int node_find(const struct nodes *x, const char *name)
{
    int i = 0;
    while (i < x->n && !str_eq(x->name[i], name))
        i++;
    return i;
}

static bool nodes_read(const struct records *r, struct nodes *x, struct err *err)
{
    const struct record_scan *s = &r->scan;
    *x = (struct nodes){.of = ARENA_ARRAY(r->a, const char *, s->ncells + 1),
                        .name = ARENA_ARRAY(r->a, const char *, s->ncells + 1)};
    if (!node_record_cells(r->s, r->a, s->ncells, x->of, err))
        return false;
    for (int i = 0; i < s->ncells; i++)
        if (str_eq(s->cells[i].state, "done") && node_find(x, x->of[i]) == x->n)
            x->name[x->n++] = x->of[i];
    return true;
}

/* Of the cells of its network and seed, which stay together. */
static int node_of(const struct records *r, const struct nodes *x, const struct duel_record *d)
{
    const struct record_scan *s = &r->scan;
    for (int i = 0; i < s->ncells; i++)
        if (s->cells[i].seed == d->seed && str_eq(s->cells[i].network, d->network))
            return node_find(x, x->of[i]);
    return 0;
}

/* The contrasts of a set, and behind them the null pairs of each machine in their place. */
static struct duel_set split_nulls(const struct records *r, const struct nodes *x, const struct duel_contrasts *made)
{
    struct duel_set out = made->set;
    struct duel_term *terms = ARENA_DUP(r->a, made->set.terms, struct duel_term, made->set.nterms);
    for (int i = 0; i < out.nterms; i++)
        if (is_null(&made->at[terms[i].contrast]))
            terms[i].contrast = out.ncontrasts + node_of(r, x, &r->duels.at[terms[i].legs[0].duel]);
    out.terms = terms;
    out.ncontrasts += x->n;
    return out;
}

static int worse(const struct duel_gate *a, const struct duel_gate *b)
{
    static const int ranks[] = {[VERDICT_GATES_PASSED] = 0, [VERDICT_GATES_UNKNOWN] = 1, [VERDICT_GATES_FAILED] = 2};
    double wide = isfinite(a->null.half_width) ? a->null.half_width : INFINITY,
           other = isfinite(b->null.half_width) ? b->null.half_width : INFINITY;
    return ranks[a->state] != ranks[b->state] ? ranks[a->state] > ranks[b->state] : wide > other;
}

/* Each machine's gate, and the worst of them for all. intervals: of the machines. */
static void judge_nodes(const struct records *r, const struct nodes *x, const struct duel_interval *intervals,
                        double asked, struct duel_results *out)
{
    struct duel_node *nodes = ARENA_ARRAY(r->a, struct duel_node, x->n);
    int worst = 0;
    for (int i = 0; i < x->n; i++) {
        nodes[i] = (struct duel_node){.name = *x->name[i] ? x->name[i] : "unknown",
                                      .gate = duel_gate(r->a, &intervals[i], asked, out->awaited)};
        worst = worse(&nodes[i].gate, &nodes[worst].gate) ? i : worst;
    }
    out->nodes = nodes;
    out->nnodes = x->n;
    out->gate = nodes[worst].gate;
    if (out->gate.reason && !out->awaited)
        out->gate.reason = arena_printf(r->a, "on node %s, %s", nodes[worst].name, out->gate.reason);
}

double duel_results_floor(const struct duel_results *d)
{
    double widest = d->gate.null.half_width;
    for (int i = 0; i < d->nnodes; i++)
        widest = fmax(widest, d->nodes[i].gate.null.half_width);
    return expm1(widest);
}

/* ---- the whole ---- */

/* Over networks and of each, each once by kernels and once by calls; of several machines the null pairs of each. */
enum { SETS = 4, SETS_NODES };

bool duel_results_make(const struct records *r, double asked, struct duel_results *out, struct err *err)
{
    struct duel_interval null = {.ratio = NAN, .low = NAN, .high = NAN, .half_width = NAN};
    struct duel_contrasts made[SETS];
    const struct duel_set *sets[SETS_NODES];
    struct duel_interval *intervals[SETS_NODES];
    struct duel_set split;
    struct nodes nodes;
    int n = 0;
    if (!nodes_read(r, &nodes, err))
        return false;
    for (int i = 0; i < SETS; i++) {
        duel_contrasts_make(r->a, &r->duels, i % 2, i < 2 ? DUEL_ALL : DUEL_BY_NETWORK, &made[i]);
        sets[i] = &made[i].set;
        n += sets[i]->ncontrasts;
        intervals[i] = ARENA_ARRAY(r->a, struct duel_interval, sets[i]->ncontrasts + 1);
    }
    struct duel_result *at = ARENA_ARRAY(r->a, struct duel_result, n + 1);
    *out = (struct duel_results){.at = at};
    if (!duel_awaited(r->s, &out->awaited, err) || !duel_count_processes(r->s, &out->processes, &out->failed, err))
        return false;
    if (nodes.n > 1) {
        split = split_nulls(r, &nodes, &made[0]);
        sets[SETS] = &split;
        intervals[SETS] = ARENA_ARRAY(r->a, struct duel_interval, split.ncontrasts + 1);
    }
    duel_intervals_each(r->a, sets, nodes.n > 1 ? SETS_NODES : SETS, DUEL_DRAWS, 1, intervals);
    for (int i = 0; i < SETS; i += 2)
        for (int c = 0; c < sets[i]->ncontrasts; c++)
            if (is_null(&made[i].at[c]))
                null = intervals[i][c];
            else
                at[out->n++] = (struct duel_result){made[i].at[c], intervals[i][c], intervals[i + 1][c]};
    out->gate = duel_gate(r->a, &null, asked, out->awaited);
    if (nodes.n > 1)
        judge_nodes(r, &nodes, intervals[SETS] + made[0].set.ncontrasts, asked, out);
    return true;
}
