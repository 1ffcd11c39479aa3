/* SPDX-License-Identifier: Apache-2.0 */
/* net_layers: the memory of a pass, shared by its two directions. Only net_pass.c and net_backward.c include it. */
#pragma once
#include "harness/base/pool.h"
#include "models/nn/net_batch.h"

enum { PASS_ROWS = 256, PASS_EXAMPLES = 16, PASS_COLUMNS = 64 }; /* of one part of the work */

struct pass_array {
    float *at;
    size_t cap;
};
struct net_pass {
    struct pool *pool;
    int nthreads;
    struct pass_array *scratch; /* by thread */
    const struct net *net;
    const struct net_batch *batch;
    enum net_mode mode;
    const float *out[NET_LAYERS]; /* what each layer gave; an input's is the batch's own */
    struct pass_array outs[NET_LAYERS], slopes[NET_LAYERS];
    bool sloped[NET_LAYERS];    /* slopes[i] holds something to be added to */
    struct pass_array norm;     /* by layer of batch norm: mean and variance used */
    size_t norm_at[NET_LAYERS]; /* where in norm */
    float *gradient;
};
struct pass_part { /* of one layer's work */
    struct net_pass *p;
    const struct layer *l;
    int i;
    void (*work)(const struct pass_part *part, int item, int thread);
    float *to; /* backwards: slopes of the layer that is read */
    bool add;  /* there are some already */
};

float *pass_array_grow(struct pass_array *a, size_t n); /* contents are lost */
int pass_rows(const struct net_pass *p, int layer);     /* rows that it gives */
/* Calls work for each part 0..n-1. */
void pass_split(const struct pass_part *part, int n);
static inline int parts_of(int n, int size)
{
    return (n + size - 1) / size;
}
static inline int part_end(int n, int size, int item)
{
    int end = (item + 1) * size;
    return end < n ? end : n;
}
/* Rows of example e in what layer i gives. */
static inline int pass_first(const struct net_pass *p, int layer, int e)
{
    int rows = p->net->layer[layer].rows;
    return rows == NET_PER_EXAMPLE ? e : p->batch->in[rows].first[e];
}
