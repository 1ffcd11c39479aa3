/* SPDX-License-Identifier: Apache-2.0 */
/* op_softmax: softmax over the last axis of up to four, as topi defines it: the maximum, the exponentials, their sum,
 * the quotient. */
#include "harness/program/ops/keys.h"
#include "harness/program/ops/ops.h"
#include "harness/program/ops/window.h"

struct softmax_options {
    int64_t n, h, w, c;
};

static const struct setting KEYS[] = {
    KEY_ONE(struct softmax_options, n, "rows (first axis)"),
    KEY_ZERO(struct softmax_options, h, "second axis, if there are three or four"),
    KEY_ZERO(struct softmax_options, w, "third axis, if there are four"),
    KEY_NEEDED(struct softmax_options, c, "classes (last axis)"),
    {0},
};

/* rank is that of the input; index holds its axes. */
struct softmax_axes {
    int rank;
    struct axis axes[5]; /* i0 ... and the reduce axis k in place of the last one */
    const struct expr *index[5];
};

static const struct op *reduction(struct graph *g, const struct softmax_axes *s, const char *name, enum reducer reducer,
                                  const struct op *from)
{
    struct axis axes[5];
    for (int i = 0; i < s->rank; i++)
        axes[i] = s->axes[i];
    axes[s->rank - 1].name = "k";
    return graph_stage(g, (struct op){.name = name,
                                      .tag = "softmax_output",
                                      .axes = axes,
                                      .nspatial = s->rank - 1,
                                      .nreduce = 1,
                                      .reducer = reducer,
                                      .body = graph_load(g, from, s->index)});
}

static const struct op *map(struct graph *g, const struct softmax_axes *s, const char *name, const struct expr *body)
{
    return graph_map(g, name, "softmax_output", s->axes, s->rank, body);
}

static bool build(struct graph *g, void *options, struct err *err)
{
    const struct softmax_options *c = options;
    struct arena *a = g->arena;
    struct softmax_axes s = {0};
    int64_t shape[5];
    if (c->w && !c->h)
        return err_set(err, "key 'w' is given without 'h'");
    const int64_t all[] = {c->n, c->h, c->w, c->c};
    for (int i = 0; i < 4; i++) {
        if (all[i] == 0)
            continue;
        s.axes[s.rank] = (struct axis){arena_printf(a, "i%d", s.rank), all[i]};
        s.index[s.rank] = expr_axis(a, s.rank);
        shape[s.rank++] = all[i];
    }
    const struct op *data = graph_input(g, NULL, s.rank, shape);
    const struct op *most = reduction(g, &s, "T_softmax_maxelem", REDUCE_MAX, data);
    const struct expr *shifted = expr_make2(a, EXPR_SUB, graph_load(g, data, s.index), graph_load(g, most, s.index));
    const struct op *exps = map(g, &s, "T_softmax_exp", expr_make1(a, EXPR_EXP, shifted));
    const struct op *sum = reduction(g, &s, "T_softmax_expsum", REDUCE_SUM, exps);
    map(g, &s, "T_softmax_norm", expr_make2(a, EXPR_DIV, graph_load(g, exps, s.index), graph_load(g, sum, s.index)));
    double rows = (double)c->n * (double)(c->h ? c->h : 1) * (double)(c->w ? c->w : 1); /* 2^72 at most */
    g->name = arena_printf(a, "softmax %.0fx%lld", rows, (long long)c->c);
    return true;
}

OPERATOR(softmax, "softmax over the last axis", struct softmax_options, build);
