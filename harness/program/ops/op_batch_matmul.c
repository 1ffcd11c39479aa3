/* SPDX-License-Identifier: Apache-2.0 */
/* op_batch_matmul: batch matrix product, topi's batch_matmul with the second operand transposed:
 * T_batch_matmul_NT(b, i, j) += x[b, i, k]*y[b, j, k]. Neither operand is a weight. */
#include "harness/program/ops/keys.h"
#include "harness/program/ops/ops.h"
#include "harness/program/ops/window.h"

struct batch_matmul_options {
    int64_t b, n, m, k;
    int dtype;
};

static const struct setting KEYS[] = {
    KEY_ONE(struct batch_matmul_options, b, "batch"),
    KEY_NEEDED(struct batch_matmul_options, n, "rows of the product"),
    KEY_NEEDED(struct batch_matmul_options, m, "columns of the product"),
    KEY_NEEDED(struct batch_matmul_options, k, "length of the sums"),
    KEY_INPUTS(struct batch_matmul_options, dtype),
    {0},
};

static bool build(struct graph *g, void *options, struct err *err)
{
    (void)err;
    const struct batch_matmul_options *c = options;
    g->inputs = graph_input_type(c->dtype);
    const struct op *x = graph_input(g, NULL, 3, (int64_t[]){c->b, c->n, c->k});
    const struct op *y = graph_input(g, NULL, 3, (int64_t[]){c->b, c->m, c->k});
    const struct axis axes[] = {{"b", c->b}, {"i", c->n}, {"j", c->m}, {"k", c->k}};
    const struct expr *at[4];
    graph_index(g, at, 4);
    graph_product(
        g, (struct op){.name = "T_batch_matmul_NT", .tag = "batch_matmul", .axes = axes, .nspatial = 3, .nreduce = 1},
        graph_read(g, x, at[0], at[1], at[3]), graph_read(g, y, at[0], at[2], at[3]));
    g->name = arena_printf(g->arena, "batch_matmul %lldx%lldx%lldx%lld%s", (long long)c->b, (long long)c->n,
                           (long long)c->m, (long long)c->k, c->dtype ? " float16" : "");
    return true;
}

OPERATOR(batch_matmul, "batch of matrix products, second operand transposed", struct batch_matmul_options, build);
