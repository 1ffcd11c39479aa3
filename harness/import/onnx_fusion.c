/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/import/onnx_fusion.h"

#include <string.h>

enum tail_stage { STAGE_PRODUCT, STAGE_BIAS, STAGE_ADD, STAGE_ACT };

struct fusion {
    struct onnx_graph *g;
    int *owner; /* of each value: the product whose last fused stage it is, -1: none */
};

static enum tail_stage stage_of(const struct onnx_tail *t)
{
    return t->act ? STAGE_ACT : t->add ? STAGE_ADD : t->bias ? STAGE_BIAS : STAGE_PRODUCT;
}

static bool same_shape(const struct onnx_shape *a, const struct onnx_shape *b)
{
    return a->rank == b->rank && memcmp(a->dims, b->dims, sizeof *a->dims * (size_t)a->rank) == 0;
}

/* Of the product's output: the second axis of a convolution, the last of a product of matrices. */
static int channel_axis(const struct onnx_node *n, int rank)
{
    return str_starts(n->op, "Conv") ? 1 : rank - 1;
}

/* One number for each channel of shape `of`, of which `axis` is the channels? */
static bool is_per_channel(const struct onnx_shape *s, const struct onnx_shape *of, int axis)
{
    int from_end = of->rank - axis;
    for (int i = 1; i <= s->rank; i++)
        if (s->dims[s->rank - i] != (i == from_end ? of->dims[axis] : 1))
            return false;
    return s->rank >= from_end;
}

/* The product whose output the value is, if nothing else reads it and the node keeps its shape. */
static struct onnx_node *product_of(const struct fusion *f, const struct onnx_node *n, int input)
{
    const struct onnx_value *v = onnx_in(f->g, n, input);
    int owner = v ? f->owner[n->in[input]] : -1;
    return owner >= 0 && v->uses == 1 && same_shape(&v->shape, &onnx_out(f->g, n, 0)->shape) ? &f->g->nodes[owner]
                                                                                             : NULL;
}

/* relu, clip (relu6) or a value of the key 'act' (harness/program/ops/epilogue.h). */
static const char *activation(const struct onnx_graph *g, const struct onnx_node *n)
{
    static const char *const ACTS[][2] = {{"Relu", "relu"},           {"Gelu", "gelu"},       {"FastGelu", "gelu_tanh"},
                                          {"Silu", "silu"},           {"Sigmoid", "sigmoid"}, {"Tanh", "tanh"},
                                          {"HardSwish", "hard_swish"}};
    if (str_eq(n->op, "Clip")) {
        const struct onnx_value *low = onnx_in(g, n, 1), *high = onnx_in(g, n, 2);
        if (!low || !low->data || onnx_elements(&low->shape) != 1 || low->data[0] != 0)
            return NULL;
        if (!high)
            return "relu";
        return high->data && onnx_elements(&high->shape) == 1 && high->data[0] == 6 ? "clip" : NULL;
    }
    if (str_eq(n->op, "Gelu") && onnx_is(n, "approximate", "tanh", "none"))
        return "gelu_tanh";
    if (str_eq(n->op, "HardSigmoid"))
        return onnx_is_hard_sigmoid(n) ? "hard_sigmoid" : NULL;
    for (size_t i = 0; i < sizeof ACTS / sizeof *ACTS; i++)
        if (str_eq(n->op, ACTS[i][0]))
            return ACTS[i][1];
    return NULL;
}

/* Takes the addition of input 1-k, if the product behind input k can. */
static bool take_addition(const struct fusion *f, const struct onnx_node *n, int k)
{
    struct onnx_node *p = product_of(f, n, k);
    const struct onnx_value *v = onnx_in(f->g, n, k), *other = onnx_in(f->g, n, 1 - k);
    if (!p || !other)
        return false;
    bool channels = other->constant && is_per_channel(&other->shape, &v->shape, channel_axis(p, v->shape.rank));
    if (channels && stage_of(&p->tail) == STAGE_PRODUCT)
        return p->tail.bias = true;
    if (channels || stage_of(&p->tail) >= STAGE_ADD || !same_shape(&other->shape, &v->shape))
        return false;
    p->tail.residual_first = k == 1;
    return p->tail.add = true;
}

/* The input whose product takes the node; -1: none does. */
static int taken_behind(const struct fusion *f, const struct onnx_node *n)
{
    if (str_eq(n->op, "Add"))
        return take_addition(f, n, 0) ? 0 : take_addition(f, n, 1) ? 1 : -1;
    struct onnx_node *p = product_of(f, n, 0);
    const char *act = p ? activation(f->g, n) : NULL;
    bool batch_norm = str_eq(n->op, "BatchNormalization");
    if (!p || (batch_norm ? stage_of(&p->tail) > STAGE_BIAS || channel_axis(p, onnx_in(f->g, n, 0)->shape.rank) != 1
                          : !act || stage_of(&p->tail) == STAGE_ACT))
        return -1;
    if (batch_norm)
        p->tail.bias = true;
    else
        p->tail.act = act;
    return 0;
}

/* A product with weights begins an epilogue, with its third input as the bias. */
static void begin(struct fusion *f, int i)
{
    struct onnx_node *n = &f->g->nodes[i];
    const struct onnx_value *w = onnx_in(f->g, n, 1), *c = onnx_in(f->g, n, 2), *out = onnx_out(f->g, n, 0);
    if (!out || !w->constant || (str_eq(n->op, "MatMul") && w->shape.rank > 2))
        return;
    f->owner[n->out[0]] = i;
    if (c && str_eq(n->op, "Gemm") && same_shape(&c->shape, &out->shape) && !c->constant)
        n->tail.add = true;
    else if (c)
        n->tail.bias = true;
}

void onnx_fuse(struct onnx_graph *g)
{
    struct fusion f = {g, ARENA_ARRAY(g->arena, int, g->nvalues)};
    memset(f.owner, -1, sizeof *f.owner * (size_t)g->nvalues);
    for (int i = 0; i < g->nnodes; i++) {
        struct onnx_node *n = &g->nodes[i];
        if (!n->live || !n->row || !onnx_out(g, n, 0))
            continue;
        if (n->row->product) {
            begin(&f, i);
            continue;
        }
        int input = taken_behind(&f, n);
        n->fused = input >= 0;
        if (n->fused)
            f.owner[n->out[0]] = f.owner[n->in[input]];
    }
}
