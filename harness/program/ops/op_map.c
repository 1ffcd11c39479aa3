/* SPDX-License-Identifier: Apache-2.0 */
/* op_map: one element-wise function over a tensor of up to four axes: relu as topi names it (T_relu), and the functions
 * of activations for tests and micro-kernels (T_exp, T_tanh, T_erf, T_sqrt; T_sigmoid, T_fast_gelu by their
 * definitions).
 */
#include "harness/program/ops/epilogue.h"
#include "harness/program/ops/keys.h"
#include "harness/program/ops/ops.h"

struct map_options {
    int64_t n, c, h, w;
    int by;
};

enum by { BY_RELU, BY_EXP, BY_LOG, BY_SQRT, BY_TANH, BY_ERF, BY_SIGMOID, BY_GELU };
static const char *const BY[] = {"relu", "exp", "log", "sqrt", "tanh", "erf", "sigmoid", "gelu", NULL};

static const struct setting KEYS[] = {
    KEY_ONE(struct map_options, n, "first axis"),
    KEY_NEEDED(struct map_options, c, "second axis"),
    KEY_ZERO(struct map_options, h, "third axis, if any"),
    KEY_ZERO(struct map_options, w, "fourth axis, if any"),
    KEY_CHOICE(struct map_options, by, "the function", "relu", BY),
    {0},
};

static const struct expr *sigmoid(struct arena *a, const struct expr *x)
{
    const struct expr *one = expr_float(a, DTYPE_F32, 1), *zero = expr_float(a, DTYPE_F32, 0);
    const struct expr *e = expr_make1(a, EXPR_EXP, expr_make2(a, EXPR_SUB, zero, x));
    return expr_make2(a, EXPR_DIV, one, expr_make2(a, EXPR_ADD, one, e));
}

/* x * (0.5 + 0.5 * erf(x / sqrt(2))) */
static const struct expr *gelu(struct arena *a, const struct expr *x)
{
    const struct expr *half = expr_float(a, DTYPE_F32, 0.5), *root = expr_float(a, DTYPE_F32, 0.70710678118654752);
    const struct expr *erf = expr_make1(a, EXPR_ERF, expr_make2(a, EXPR_MUL, x, root));
    return expr_make2(a, EXPR_MUL, x, expr_make2(a, EXPR_ADD, half, expr_make2(a, EXPR_MUL, half, erf)));
}

static bool build(struct graph *g, void *options, struct err *err)
{
    static const enum expr_kind CALLS[] = {
        [BY_EXP] = EXPR_EXP, [BY_LOG] = EXPR_LOG, [BY_SQRT] = EXPR_SQRT, [BY_TANH] = EXPR_TANH, [BY_ERF] = EXPR_ERF};
    const struct map_options *c = options;
    struct axis axes[GRAPH_DIMS];
    const struct expr *index[GRAPH_DIMS];
    if (c->w && !c->h)
        return err_set(err, "key 'w' is given without 'h'");
    int rank = c->w ? 4 : c->h ? 3 : 2;
    const struct op *x = graph_input(g, NULL, rank, (int64_t[]){c->n, c->c, c->h, c->w});
    g->name = arena_printf(g->arena, "%s %lldx%lldx%lldx%lld", BY[c->by], (long long)c->n, (long long)c->c,
                           (long long)(c->h ? c->h : 1), (long long)(c->w ? c->w : 1));
    if (c->by == BY_RELU) {
        epilogue_relu(g, x);
        return true;
    }
    graph_axes(g, x, "ax", axes);
    graph_index(g, index, rank);
    const struct expr *v = graph_load(g, x, index);
    const struct expr *body = c->by == BY_SIGMOID ? sigmoid(g->arena, v)
                              : c->by == BY_GELU  ? gelu(g->arena, v)
                                                  : expr_make1(g->arena, CALLS[c->by], v);
    graph_map(g, arena_printf(g->arena, "T_%s", BY[c->by]), "elemwise", axes, rank, body);
    return true;
}

OPERATOR(map, "one element-wise function", struct map_options, build);
