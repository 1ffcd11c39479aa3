/* SPDX-License-Identifier: Apache-2.0 */
/* op_matmul: the matrix products of TVM's auto_scheduler tests: C(i, j) += A[i, k]*B[k, j]; with chain=1 two square
 * ones in a row, D = A*B, E = D*C. */
#include "harness/program/ops/epilogue.h"
#include "harness/program/ops/keys.h"
#include "harness/program/ops/ops.h"

struct matmul_options {
    int64_t n, m, k, chain, relu;
    int dtype;
};

static const struct setting KEYS[] = {
    KEY_NEEDED(struct matmul_options, n, "rows of A"),
    KEY_NEEDED(struct matmul_options, m, "columns of B"),
    KEY_NEEDED(struct matmul_options, k, "columns of A"),
    KEY_FLAG(struct matmul_options, chain, "multiply the product by a third matrix, m by m"),
    KEY_FLAG(struct matmul_options, relu, "relu at the end"),
    KEY_INPUTS(struct matmul_options, dtype),
    {0},
};

static const struct op *product(struct graph *g, const char *name, const struct op *x, const struct op *y, bool weight)
{
    const struct expr *i = expr_axis(g->arena, 0), *j = expr_axis(g->arena, 1), *k = expr_axis(g->arena, 2);
    const struct axis axes[] = {{"i", x->axes[0].extent}, {"j", y->axes[1].extent}, {"k", x->axes[1].extent}};
    return graph_product(g, (struct op){.name = name, .axes = axes, .nspatial = 2, .nreduce = 1, .nrewritten = weight},
                         graph_read(g, x, i, k), graph_read(g, y, k, j));
}

static bool build(struct graph *g, void *options, struct err *err)
{
    (void)err;
    struct matmul_options *c = options;
    g->inputs = graph_input_type(c->dtype);
    const struct op *a = graph_input(g, "A", 2, (int64_t[]){c->n, c->k}), *out;
    if (c->chain) {
        const struct op *b = graph_input(g, "B", 2, (int64_t[]){c->k, c->m});
        const struct op *third = graph_input(g, "C", 2, (int64_t[]){c->m, c->m});
        out = product(g, "E", product(g, "D", a, b, false), third, false);
    } else {
        out = product(g, "C", a, graph_weight(g, "B", 2, (int64_t[]){c->k, c->m}), true);
    }
    if (c->relu)
        epilogue_relu(g, out);
    g->name = arena_printf(g->arena, "matmul %lldx%lldx%lld%s%s%s", (long long)c->n, (long long)c->m, (long long)c->k,
                           c->chain ? " chained" : "", c->relu ? " +relu" : "", c->dtype ? " float16" : "");
    return true;
}

OPERATOR(matmul, "matrix product C = A*B, or two in a row", struct matmul_options, build);
