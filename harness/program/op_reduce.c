/* SPDX-License-Identifier: Apache-2.0 */
/* op_reduce: sum, maximum or minimum over the columns of a matrix, or of a vector to a scalar (n=0): the reductions of
 * TVM's auto_scheduler tests, B(i) min= A[i, k]. */
#include "harness/program/keys.h"
#include "harness/program/ops.h"
#include "harness/program/window.h"

struct reduce {
    int64_t n, m;
    int by;
};

static const char *const BY[] = {"sum", "max", "min", NULL};

static const struct setting KEYS[] = {
    KEY_ZERO(struct reduce, n, "rows; 0: a vector is reduced to a scalar"),
    KEY_NEEDED(struct reduce, m, "columns, over which is reduced"),
    KEY_CHOICE(struct reduce, by, "what is taken of a row", "sum", BY),
    {0},
};

static bool build(struct graph *g, void *options, struct err *err)
{
    const struct reduce *c = options;
    if (!graph_need("m", c->m, err))
        return false;
    static const enum reducer REDUCERS[] = {REDUCE_SUM, REDUCE_MAX, REDUCE_MIN};
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
    g->name = arena_printf(g->arena, "%s of %lldx%lld", BY[c->by], (long long)(c->n ? c->n : 1), (long long)c->m);
    return true;
}

extern const struct operator operator_reduce;
const struct operator operator_reduce = {
    "reduce",
    "sum, maximum or minimum of rows",
    KEYS,
    sizeof(struct reduce),
    build,
};
