/* SPDX-License-Identifier: Apache-2.0 */
/* net: a network as a list of layers, each reading one or two earlier ones, with all its parameters in one array. What
 * it computes for a batch is in net_pass.h.
 *
 * An example has a few rows in each input (a program: its statements). Layers work row by row until a sum over the
 * rows of each example gives one row an example. The last layer is one number an example: its score.
 *
 * Shapes and names are PyTorch's: a linear layer's weight is out x in; attention keeps the weights of queries, keys
 * and values as one matrix of 3 width x width. */
#pragma once
#include "harness/base/rng.h"

#include <stdbool.h>
#include <stddef.h>

enum { NET_LAYERS = 32, NET_INPUTS = 2, NET_PER_EXAMPLE = -1 };
enum layer_kind {
    LAYER_INPUT,
    LAYER_LINEAR,    /* x W' + b, with relu: its positive part */
    LAYER_ADD,       /* x + y */
    LAYER_CONCAT,    /* x and y side by side */
    LAYER_SUM,       /* of an example's rows */
    LAYER_ATTENTION, /* of each row over those of its example, all heads; reads queries, keys and values side by side */
    LAYER_BATCH_NORM, /* per column, over the examples of the batch or by running statistics */
    LAYER_KINDS
};
struct layer {
    enum layer_kind kind;
    bool relu;
    int from, other;     /* layers that it reads; other: of ADD and CONCAT */
    int width;           /* floats of a row that it gives */
    int rows;            /* whose rows: number of an input, or NET_PER_EXAMPLE */
    int heads;           /* ATTENTION */
    size_t weight, bias; /* where they begin in the parameters: LINEAR, BATCH_NORM */
    size_t buffer;       /* BATCH_NORM: mean, then variance, in the buffers */
};
struct net {
    int nlayers, ninputs;
    struct layer layer[NET_LAYERS];
    size_t nparams, nbuffers;
    float *param;  /* trained */
    float *buffer; /* kept beside: running means and variances of batch norm */
    /* What each column of an input is multiplied by; 1 at first. */
    float *scale[NET_INPUTS];
};

#define NET_NORM_EPSILON 1e-5 /* of batch norm (PyTorch's) */
#define NET_NORM_MOMENTUM 0.1 /* share of a batch in the running statistics (PyTorch's) */

/* Making one: each gives the number of the new layer. Inputs first, then net_close at the end of its life. */
int net_input(struct net *n, int width);
int net_linear(struct net *n, int from, int width, bool relu);
int net_add(struct net *n, int from, int other);
int net_concat(struct net *n, int from, int other);
int net_sum(struct net *n, int from);
int net_batch_norm(struct net *n, int from);
/* x + Linear(attention(Linear3(x))), the multi-head self-attention of PyTorch with the residual around it. */
int net_attention(struct net *n, int from, int heads);
int net_residual(struct net *n, int from); /* x + relu(Linear(x)), of x's width */
/* Allocates parameters and buffers; they are zero, and the scales 1. */
void net_finish(struct net *n);
void net_close(struct net *n); /* a zeroed net is fine */

/* Random parameters as PyTorch's layers start with: linear layers uniform in +-1/sqrt(in) (weights and biases); the
 * three matrices of attention uniform in +-sqrt(6 / (4 width)) without biases (Xavier), its output without a bias;
 * batch norm 1 and 0, running mean 0 and variance 1. */
void net_start(struct net *n, struct rng *rng);
void net_copy(struct net *to, const struct net *from); /* parameters, buffers, scales; of the same layers */
void net_copy_scales(struct net *to, const struct net *from);
