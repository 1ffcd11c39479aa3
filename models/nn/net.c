/* SPDX-License-Identifier: Apache-2.0 */
/* net: building, counting, starting. A layer of attention is three: a linear one of three times the width, the core
 * without parameters, and a linear one. */
#include "models/nn/net.h"

#include "harness/base/err.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int layer_add(struct net *n, struct layer l)
{
    if (n->nlayers == NET_LAYERS)
        bug("a network of more than %d layers", NET_LAYERS);
    if (l.from >= n->nlayers || (l.other > 0 && l.other >= n->nlayers))
        bug("layer %d reads a later one", n->nlayers);
    n->layer[n->nlayers] = l;
    return n->nlayers++;
}

int net_input(struct net *n, int width)
{
    if (n->nlayers != n->ninputs || n->ninputs == NET_INPUTS)
        bug("inputs come first, at most %d", NET_INPUTS);
    return layer_add(n, (struct layer){.kind = LAYER_INPUT, .from = -1, .width = width, .rows = n->ninputs++});
}

int net_linear(struct net *n, int from, int width, bool relu)
{
    const struct layer *x = &n->layer[from];
    size_t weight = n->nparams, bias = weight + (size_t)width * (size_t)x->width;
    n->nparams = bias + (size_t)width;
    return layer_add(n, (struct layer){.kind = LAYER_LINEAR,
                                       .relu = relu,
                                       .from = from,
                                       .width = width,
                                       .rows = x->rows,
                                       .weight = weight,
                                       .bias = bias});
}

int net_add(struct net *n, int from, int other)
{
    const struct layer *x = &n->layer[from], *y = &n->layer[other];
    if (x->width != y->width || x->rows != y->rows)
        bug("layers %d and %d cannot be added", from, other);
    return layer_add(
        n, (struct layer){.kind = LAYER_ADD, .from = from, .other = other, .width = x->width, .rows = x->rows});
}

int net_concat(struct net *n, int from, int other)
{
    const struct layer *x = &n->layer[from], *y = &n->layer[other];
    if (x->rows != y->rows)
        bug("layers %d and %d have other rows", from, other);
    return layer_add(
        n, (struct layer){
               .kind = LAYER_CONCAT, .from = from, .other = other, .width = x->width + y->width, .rows = x->rows});
}

int net_sum(struct net *n, int from)
{
    const struct layer *x = &n->layer[from];
    if (x->rows == NET_PER_EXAMPLE)
        bug("layer %d has one row an example already", from);
    return layer_add(n, (struct layer){.kind = LAYER_SUM, .from = from, .width = x->width, .rows = NET_PER_EXAMPLE});
}

int net_batch_norm(struct net *n, int from)
{
    const struct layer *x = &n->layer[from];
    struct layer l = {.kind = LAYER_BATCH_NORM, .from = from, .width = x->width, .rows = x->rows};
    if (x->rows != NET_PER_EXAMPLE)
        bug("batch norm is over examples");
    l.weight = n->nparams;
    l.bias = l.weight + (size_t)l.width;
    l.buffer = n->nbuffers;
    n->nparams += 2 * (size_t)l.width;
    n->nbuffers += 2 * (size_t)l.width;
    return layer_add(n, l);
}

int net_attention(struct net *n, int from, int heads)
{
    int width = n->layer[from].width, three = net_linear(n, from, 3 * width, false);
    if (width % heads)
        bug("%d heads do not divide a width of %d", heads, width);
    int core = layer_add(
        n, (struct layer){
               .kind = LAYER_ATTENTION, .from = three, .width = width, .rows = n->layer[from].rows, .heads = heads});
    return net_add(n, from, net_linear(n, core, width, false));
}

int net_residual(struct net *n, int from)
{
    return net_add(n, from, net_linear(n, from, n->layer[from].width, true));
}

static float *floats(size_t n)
{
    float *at = calloc(n + 1, sizeof *at);
    if (!at)
        bug("out of memory");
    return at;
}

void net_finish(struct net *n)
{
    n->param = floats(n->nparams);
    n->buffer = floats(n->nbuffers);
    for (int i = 0; i < n->ninputs; i++) {
        n->scale[i] = floats((size_t)n->layer[i].width);
        for (int k = 0; k < n->layer[i].width; k++)
            n->scale[i][k] = 1;
    }
}

void net_close(struct net *n)
{
    free(n->param);
    free(n->buffer);
    for (int i = 0; i < NET_INPUTS; i++)
        free(n->scale[i]);
    *n = (struct net){0};
}

static void uniform(float *at, size_t n, double bound, struct rng *rng)
{
    for (size_t i = 0; i < n; i++)
        at[i] = (float)(bound * (2 * rng_unit(rng) - 1));
}

/* Is what the layer gives, or what it reads, the core of an attention? */
static bool feeds_attention(const struct net *n, int i)
{
    return i + 1 < n->nlayers && n->layer[i + 1].kind == LAYER_ATTENTION && n->layer[i + 1].from == i;
}

static void linear_start(struct net *n, int i, struct rng *rng)
{
    const struct layer *l = &n->layer[i];
    int in = n->layer[l->from].width;
    bool packed = feeds_attention(n, i), output = n->layer[l->from].kind == LAYER_ATTENTION;
    double bound = packed ? sqrt(6. / (in + l->width)) : 1 / sqrt(in);
    uniform(n->param + l->weight, (size_t)l->width * (size_t)in, bound, rng);
    if (packed || output)
        memset(n->param + l->bias, 0, sizeof(float) * (size_t)l->width);
    else
        uniform(n->param + l->bias, (size_t)l->width, bound, rng);
}

void net_start(struct net *n, struct rng *rng)
{
    for (int i = 0; i < n->nlayers; i++) {
        const struct layer *l = &n->layer[i];
        if (l->kind == LAYER_LINEAR)
            linear_start(n, i, rng);
        for (int k = 0; l->kind == LAYER_BATCH_NORM && k < l->width; k++) {
            n->param[l->weight + (size_t)k] = n->buffer[l->buffer + (size_t)(l->width + k)] = 1;
            n->param[l->bias + (size_t)k] = n->buffer[l->buffer + (size_t)k] = 0;
        }
    }
}

void net_copy(struct net *to, const struct net *from)
{
    memcpy(to->param, from->param, sizeof(float) * from->nparams);
    memcpy(to->buffer, from->buffer, sizeof(float) * from->nbuffers);
    net_copy_scales(to, from);
}

void net_copy_scales(struct net *to, const struct net *from)
{
    for (int i = 0; i < from->ninputs; i++)
        memcpy(to->scale[i], from->scale[i], sizeof(float) * (size_t)from->layer[i].width);
}
