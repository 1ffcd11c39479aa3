/* SPDX-License-Identifier: Apache-2.0 */
/* epilogue: element-wise stages as TVM's operator library makes them: T_add, T_multiply, T_relu over axes ax0, ax1,
 * ..., and for relu6 a stage named "compute" over i0, i1, ... A dimension of 1 that meets a longer one is read at 0. */
#include "harness/program/ops/epilogue.h"

const char *const EPILOGUE_ORDERS[] = {"data", "residual", NULL};
const char *const EPILOGUE_ACTS[] = {"none", "gelu",         "gelu_tanh",  "silu", "sigmoid",
                                     "tanh", "hard_sigmoid", "hard_swish", NULL};

/* A read of op at the axes of a stage with out's shape. */
static const struct expr *broadcast(struct graph *g, const struct op *op, const struct op *out)
{
    const struct expr *index[GRAPH_DIMS];
    for (int i = 0; i < op->nspatial; i++)
        index[i] = op->axes[i].extent == out->axes[i].extent ? expr_axis(g->arena, i) : expr_int(g->arena, 0);
    return graph_load(g, op, index);
}

static const struct op *stage(struct graph *g, const char *name, const char *tag, const char *prefix,
                              const struct op *shape, const struct expr *body)
{
    struct axis axes[GRAPH_DIMS];
    graph_axes(g, shape, prefix, axes);
    return graph_map(g, name, tag, axes, shape->nspatial, body);
}

static const struct op *binary(struct graph *g, const char *name, enum expr_kind k, const struct op *x,
                               const struct op *y, const struct op *shape)
{
    const struct expr *body = expr_make2(g->arena, k, broadcast(g, x, shape), broadcast(g, y, shape));
    return stage(g, name, "broadcast", "ax", shape, body);
}

const struct op *epilogue_relu(struct graph *g, const struct op *from)
{
    const struct expr *zero = expr_float(g->arena, DTYPE_F32, 0);
    const struct expr *body = expr_make2(g->arena, EXPR_MAX, broadcast(g, from, from), zero);
    return stage(g, "T_relu", "elemwise", "ax", from, body);
}

/* min(max(from, 0), most) */
static const struct op *clip(struct graph *g, const struct op *from, double most)
{
    struct arena *a = g->arena;
    const struct expr *below = expr_make2(a, EXPR_MIN, broadcast(g, from, from), expr_float(a, DTYPE_F32, most));
    const struct expr *body = expr_make2(a, EXPR_MAX, below, expr_float(a, DTYPE_F32, 0));
    return stage(g, "compute", "elemwise", "i", from, body);
}

/* ---- activations ---- */

static const struct op *number(struct graph *g, double v)
{
    return graph_map(g, "compile_engine_const", "broadcast", (const struct axis[]){{0}}, 0,
                     expr_float(g->arena, DTYPE_F32, v));
}

static const struct op *product(struct graph *g, const struct op *x, const struct op *y, const struct op *shape)
{
    return binary(g, "T_multiply", EXPR_MUL, x, y, shape);
}

static const struct op *function(struct graph *g, const char *name, enum expr_kind k, const struct op *x)
{
    return stage(g, name, "elemwise", "ax", x, expr_make1(g->arena, k, broadcast(g, x, x)));
}

static const struct op *gelu(struct graph *g, const struct op *x)
{
    const struct op *erf = function(g, "T_erf", EXPR_ERF, product(g, x, number(g, 0.70710678118654752), x));
    const struct op *half = product(g, erf, number(g, 0.5), x);
    return product(g, x, binary(g, "T_add", EXPR_ADD, number(g, 0.5), half, x), x);
}

static const struct op *gelu_tanh(struct graph *g, const struct op *x)
{
    const struct op *half = product(g, number(g, 0.5), x, x);
    const struct op *cube = product(g, product(g, product(g, number(g, 0.044715), x, x), x, x), x, x);
    const struct op *sum = binary(g, "T_add", EXPR_ADD, x, cube, x);
    const struct op *tanh = function(g, "T_tanh", EXPR_TANH, product(g, number(g, 0.79788456080286536), sum, x));
    return product(g, half, binary(g, "T_add", EXPR_ADD, number(g, 1), tanh, x), x);
}

static const struct op *hard_sigmoid(struct graph *g, const struct op *x)
{
    const struct op *scaled = product(g, x, number(g, 1.0 / 6), x);
    return clip(g, binary(g, "T_add", EXPR_ADD, scaled, number(g, 0.5), x), 1);
}

/* The stages of an activation, as relay's expression of it gives them; a number in it is a stage "compile_engine_const"
 * without axes (TVM: relay/backend/te_compiler_cache.cc). */
static const struct op *activate(struct graph *g, enum activation act, const struct op *from)
{
    switch (act) {
    case ACT_GELU:
        return gelu(g, from);
    case ACT_GELU_TANH:
        return gelu_tanh(g, from);
    case ACT_SILU:
        return product(g, from, function(g, "T_sigmoid", EXPR_SIGMOID, from), from);
    case ACT_SIGMOID:
        return function(g, "T_sigmoid", EXPR_SIGMOID, from);
    case ACT_TANH:
        return function(g, "T_tanh", EXPR_TANH, from);
    case ACT_HARD_SIGMOID:
        return hard_sigmoid(g, from);
    case ACT_HARD_SWISH:
        return product(g, from, hard_sigmoid(g, from), from);
    case ACT_NONE:
        break;
    }
    return from;
}

static const struct op *residual(struct graph *g, const struct epilogue *e, const struct op *x)
{
    int64_t shape[GRAPH_DIMS];
    for (int i = 0; i < x->nspatial; i++)
        shape[i] = x->axes[i].extent;
    const struct op *r = graph_input(g, NULL, x->nspatial, shape);
    return e->order ? binary(g, "T_add", EXPR_ADD, r, x, x) : binary(g, "T_add", EXPR_ADD, x, r, x);
}

const struct op *epilogue_add(struct graph *g, const struct epilogue *e, const struct op *x,
                              const int64_t *channel_shape)
{
    int ndim = x->nspatial;
    if (e->bias)
        x = binary(g, "T_add", EXPR_ADD, x, graph_weight(g, NULL, ndim, channel_shape), x);
    if (e->scale) {
        x = binary(g, "T_multiply", EXPR_MUL, x, graph_weight(g, NULL, ndim, channel_shape), x);
        x = binary(g, "T_add", EXPR_ADD, x, graph_weight(g, NULL, ndim, channel_shape), x);
    }
    if (e->add)
        x = residual(g, e, x);
    if (e->relu)
        x = epilogue_relu(g, x);
    return e->clip ? clip(g, x, 6) : activate(g, (enum activation)e->act, x);
}

bool epilogue_check(const struct epilogue *e, struct err *err)
{
    if (e->relu && e->clip)
        return err_set(err, "keys 'relu' and 'clip' exclude each other");
    if (e->act && (e->relu || e->clip))
        return err_set(err, "keys 'act' and '%s' exclude each other", e->relu ? "relu" : "clip");
    if (e->order && !e->add)
        return err_set(err, "key 'order' is given without 'add'");
    return true;
}

const char *epilogue_name(struct arena *a, const struct epilogue *e)
{
    return arena_printf(a, "%s%s%s%s%s%s%s", e->bias ? " +bias" : "", e->scale ? " +scale" : "", e->add ? " +add" : "",
                        e->relu ? " +relu" : "", e->clip ? " +relu6" : "", e->act ? " +" : "",
                        e->act ? EPILOGUE_ACTS[e->act] : "");
}
