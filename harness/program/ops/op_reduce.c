/* SPDX-License-Identifier: Apache-2.0 */
/* op_reduce: sum, maximum or minimum over the columns of a matrix, or of a vector to a scalar (n=0): the reductions of
 * TVM's auto_scheduler tests, B(i) min= A[i, k]. With h over the last of three axes, as topi's sum makes it: the
 * micro-kernel 'reduce' of experiments/networks/micro.yaml, data_red(ax0, ax1) += data[ax0, ax1, k2]. */
#include "harness/program/ops/keys.h"
#include "harness/program/ops/ops.h"
#include "harness/program/ops/window.h"

struct reduce_options {
    int64_t n, m, h;
    int by;
};

static const char *const BY[] = {"sum", "max", "min", NULL};

static const struct setting KEYS[] = {
    KEY_ZERO(struct reduce_options, n, "rows; 0: a vector is reduced to a scalar"),
    KEY_NEEDED(struct reduce_options, m, "columns, over which is reduced"),
    KEY_CHOICE(struct reduce_options, by, "what is taken of a row", "sum", BY),
    KEY_ZERO(struct reduce_options, h, "rows of rows, if there are three axes: n x h rows of m"),
    {0},
};

static const enum reducer REDUCERS[] = {REDUCE_SUM, REDUCE_MAX, REDUCE_MIN};

/* Two axes, or one. */
static void plain(struct graph *g, const struct reduce_options *c)
{
    const struct op *a =
        c->n ? graph_input(g, "A", 2, (int64_t[]){c->n, c->m}) : graph_input(g, "A", 1, (int64_t[]){c->m});
    const struct axis axes[] = {{"i", c->n}, {"k", c->m}};
    const struct expr *x = expr_axis(g->arena, 0), *y = expr_axis(g->arena, 1);
    graph_stage(g, (struct op){.name = "B",
                               .axes = c->n ? axes : axes + 1,
                               .nspatial = c->n > 0,
                               .nreduce = 1,
                               .reducer = REDUCERS[c->by],
                               .body = c->n ? graph_read(g, a, x, y) : graph_read(g, a, x)});
}

static void cube(struct graph *g, const struct reduce_options *c)
{
    const struct op *data = graph_input(g, "data", 3, (int64_t[]){c->n, c->h, c->m});
    const struct axis axes[] = {{"ax0", c->n}, {"ax1", c->h}, {"k2", c->m}};
    const struct expr *x = expr_axis(g->arena, 0), *y = expr_axis(g->arena, 1), *z = expr_axis(g->arena, 2);
    graph_stage(g, (struct op){.name = "data_red",
                               .tag = "comm_reduce",
                               .axes = axes,
                               .nspatial = 2,
                               .nreduce = 1,
                               .reducer = REDUCERS[c->by],
                               .body = graph_read(g, data, x, y, z)});
}

static bool build(struct graph *g, void *options, struct err *err)
{
    const struct reduce_options *c = options;
    if (c->h && !c->n)
        return err_set(err, "key 'h' is given without 'n'");
    if (c->h)
        cube(g, c);
    else
        plain(g, c);
    int64_t rows = (c->n ? c->n : 1) * (c->h ? c->h : 1);
    g->name = arena_printf(g->arena, "%s of %lldx%lld", BY[c->by], (long long)rows, (long long)c->m);
    return true;
}

OPERATOR(reduce, "sum, maximum or minimum of rows", struct reduce_options, build);
