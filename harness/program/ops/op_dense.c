/* SPDX-License-Identifier: Apache-2.0 */
/* op_dense: fully connected layer, topi's dense with a transposed weight: T_matmul_NT(i0, i1) += data[i0, k]*weight[i1,
 * k]. */
#include "harness/program/ops/epilogue.h"
#include "harness/program/ops/keys.h"
#include "harness/program/ops/ops.h"

struct dense_options {
    int64_t n, ci, co;
    int dtype;
    struct epilogue tail;
};

static const struct setting KEYS[] = {
    KEY_ONE(struct dense_options, n, "rows"),
    KEY_NEEDED(struct dense_options, ci, "input features"),
    KEY_NEEDED(struct dense_options, co, "output features"),
    EPILOGUE_KEYS(struct dense_options, tail),
    KEY_INPUTS(struct dense_options, dtype),
    {0},
};

static bool build(struct graph *g, void *options, struct err *err)
{
    struct dense_options *c = options;
    if (!epilogue_check(&c->tail, err))
        return false;
    g->inputs = graph_input_type(c->dtype);
    const struct op *data = graph_input(g, NULL, 2, (int64_t[]){c->n, c->ci});
    const struct op *weight = graph_weight(g, NULL, 2, (int64_t[]){c->co, c->ci});
    const struct expr *i0 = expr_axis(g->arena, 0), *i1 = expr_axis(g->arena, 1), *k = expr_axis(g->arena, 2);
    const struct axis axes[] = {{"i0", c->n}, {"i1", c->co}, {"k", c->ci}};
    const struct op *out = graph_product(
        g,
        (struct op){.name = "T_matmul_NT", .tag = "dense", .axes = axes, .nspatial = 2, .nreduce = 1, .nrewritten = 1},
        graph_read(g, data, i0, k), graph_read(g, weight, i1, k));
    g->inputs = DTYPE_F32;
    epilogue_add(g, &c->tail, out, (int64_t[]){1, c->co});
    g->name = arena_printf(g->arena, "dense %lldx%lld -> %lld%s%s", (long long)c->n, (long long)c->ci, (long long)c->co,
                           epilogue_name(g->arena, &c->tail), c->dtype ? " float16" : "");
    return true;
}

OPERATOR(dense, "fully connected layer with its epilogue", struct dense_options, build);
