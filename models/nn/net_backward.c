/* SPDX-License-Identifier: Apache-2.0 */
/* net_backward: from the last layer to the first. A layer's slopes are complete when it is reached, since all that read
 * it come later. Inputs need none. The gradient of a weight is one product over all rows, cut by its outputs. */
#include "models/nn/net_backward.h"

#include "models/nn/attention.h"
#include "models/nn/gemm.h"
#include "models/nn/net_layers.h"

#include <math.h>
#include <string.h>

/* Slopes of a layer that is read; *add: there are some already. NULL: it is an input. */
static float *slope_of(struct net_pass *p, int layer, bool *add)
{
    const struct layer *l = &p->net->layer[layer];
    *add = p->sloped[layer];
    if (l->kind == LAYER_INPUT)
        return NULL;
    p->sloped[layer] = true;
    return *add ? p->slopes[layer].at
                : pass_array_grow(&p->slopes[layer], (size_t)pass_rows(p, layer) * (size_t)l->width);
}

static void put(float *to, const float *from, size_t n, bool add)
{
    if (!add) {
        memcpy(to, from, sizeof *to * n);
        return;
    }
    for (size_t i = 0; i < n; i++)
        to[i] += from[i];
}

static void relu_part(const struct pass_part *t, int item, int thread)
{
    (void)thread;
    size_t w = (size_t)t->l->width, end = w * (size_t)part_end(pass_rows(t->p, t->i), PASS_ROWS, item);
    float *slope = t->p->slopes[t->i].at;
    const float *out = t->p->out[t->i];
    for (size_t k = w * (size_t)item * PASS_ROWS; k < end; k++)
        slope[k] = out[k] > 0 ? slope[k] : 0;
}

/* Some outputs of a linear layer: their weights' and biases' gradients. */
static void weight_part(const struct pass_part *t, int item, int thread)
{
    (void)thread;
    const struct layer *l = t->l;
    int in = t->p->net->layer[l->from].width, rows = pass_rows(t->p, t->i), begin = item * PASS_COLUMNS,
        end = part_end(l->width, PASS_COLUMNS, item);
    int m = end - begin, w = l->width;
    const float *slope = t->p->slopes[t->i].at + begin, *x = t->p->out[l->from];
    float *to = t->p->gradient + l->weight + (size_t)begin * (size_t)in;
    gemm(&(struct gemm){
        .m = m, .n = in, .k = rows, .ta = true, .a = slope, .b = x, .c = to, .lda = w, .ldb = in, .ldc = in});
    float *bias = t->p->gradient + l->bias + begin;
    memset(bias, 0, sizeof *bias * (size_t)m);
    for (size_t r = 0; r < (size_t)rows; r++)
        for (int k = 0; k < m; k++)
            bias[k] += slope[r * (size_t)w + (size_t)k];
}

static void input_part(const struct pass_part *t, int item, int thread)
{
    (void)thread;
    const struct layer *l = t->l;
    int in = t->p->net->layer[l->from].width, begin = item * PASS_ROWS,
        end = part_end(pass_rows(t->p, t->i), PASS_ROWS, item);
    int m = end - begin, k = l->width;
    const float *slope = t->p->slopes[t->i].at + (size_t)begin * (size_t)k, *w = t->p->net->param + l->weight;
    float *to = t->to + (size_t)begin * (size_t)in;
    gemm(&(struct gemm){
        .m = m, .n = in, .k = k, .add = t->add, .a = slope, .b = w, .c = to, .lda = k, .ldb = in, .ldc = in});
}

static void linear_backward(struct pass_part *t)
{
    int row_parts = parts_of(pass_rows(t->p, t->i), PASS_ROWS);
    if (t->l->relu) {
        t->work = relu_part;
        pass_split(t, row_parts);
    }
    t->work = weight_part;
    pass_split(t, parts_of(t->l->width, PASS_COLUMNS));
    t->to = slope_of(t->p, t->l->from, &t->add);
    t->work = input_part;
    if (t->to)
        pass_split(t, row_parts);
}

/* One of the two layers that ADD or CONCAT reads: its columns begin at `at`. */
static void join_backward(const struct pass_part *t, int from, int at)
{
    bool add;
    float *to = slope_of(t->p, from, &add);
    size_t w = (size_t)t->p->net->layer[from].width, wide = (size_t)t->l->width;
    const float *slope = t->p->slopes[t->i].at + at;
    if (!to)
        return;
    for (size_t r = 0; r < (size_t)pass_rows(t->p, t->i); r++)
        put(to + r * w, slope + r * wide, w, add);
}

static void sum_backward(const struct pass_part *t)
{
    bool add;
    float *to = slope_of(t->p, t->l->from, &add);
    size_t w = (size_t)t->l->width;
    for (int e = 0; to && e < t->p->batch->n; e++)
        for (int r = pass_first(t->p, t->l->from, e); r < pass_first(t->p, t->l->from, e + 1); r++)
            put(to + (size_t)r * w, t->p->slopes[t->i].at + (size_t)e * w, w, add);
}

/* The layer that attention reads is read by nothing else. */
static void attention_back(const struct pass_part *t, int item, int thread)
{
    const struct layer *l = t->l;
    int end = part_end(t->p->batch->n, PASS_EXAMPLES, item);
    for (int e = item * PASS_EXAMPLES; e < end; e++) {
        int first = pass_first(t->p, t->i, e), rows = pass_first(t->p, t->i, e + 1) - first;
        if (rows == 0)
            continue;
        size_t at = (size_t)first * (size_t)l->width;
        struct attention one = {.rows = rows,
                                .width = l->width,
                                .heads = l->heads,
                                .three = t->p->out[l->from] + 3 * at,
                                .memory = pass_array_grow(&t->p->scratch[thread], (size_t)attention_memory(rows))};
        attention_backward(&one, t->p->slopes[t->i].at + at, t->to + 3 * at);
    }
}

/* With the statistics of the batch, mean and variance depend on every row; with running ones they are constants. */
static void norm_backward(const struct pass_part *t)
{
    const struct layer *l = t->l;
    bool add;
    float *to = slope_of(t->p, l->from, &add);
    size_t w = (size_t)l->width, rows = (size_t)t->p->batch->n;
    const float *x = t->p->out[l->from], *slope = t->p->slopes[t->i].at, *gain = t->p->net->param + l->weight;
    const float *mean = t->p->norm.at + t->p->norm_at[t->i], *variance = mean + w;
    for (size_t k = 0; k < w; k++) {
        double unit = 1 / sqrt((double)variance[k] + NET_NORM_EPSILON), sum = 0, dot = 0;
        for (size_t r = 0; r < rows; r++) {
            sum += (double)slope[r * w + k];
            dot += (double)slope[r * w + k] * (double)(x[r * w + k] - mean[k]) * unit;
        }
        t->p->gradient[l->weight + k] = (float)dot;
        t->p->gradient[l->bias + k] = (float)sum;
        double mean_slope = t->p->mode == NET_BATCH ? sum / (double)rows : 0,
               mean_dot = t->p->mode == NET_BATCH ? dot / (double)rows : 0;
        for (size_t r = 0; to && r < rows; r++) {
            double z = (double)(x[r * w + k] - mean[k]) * unit;
            float d = (float)((double)gain[k] * unit * ((double)slope[r * w + k] - mean_slope - z * mean_dot));
            to[r * w + k] = add ? to[r * w + k] + d : d;
        }
    }
}

static void layer_backward(struct net_pass *p, int i)
{
    const struct layer *l = &p->net->layer[i];
    struct pass_part t = {.p = p, .l = l, .i = i};
    switch (l->kind) {
    case LAYER_LINEAR:
        linear_backward(&t);
        return;
    case LAYER_ADD:
        join_backward(&t, l->from, 0);
        join_backward(&t, l->other, 0);
        return;
    case LAYER_CONCAT:
        join_backward(&t, l->from, 0);
        join_backward(&t, l->other, p->net->layer[l->from].width);
        return;
    case LAYER_SUM:
        sum_backward(&t);
        return;
    case LAYER_ATTENTION:
        t.to = slope_of(p, l->from, &t.add);
        t.work = attention_back;
        pass_split(&t, parts_of(p->batch->n, PASS_EXAMPLES));
        return;
    case LAYER_BATCH_NORM:
        norm_backward(&t);
        return;
    case LAYER_INPUT:
    case LAYER_KINDS:
        return;
    }
}

void net_backward(struct net_pass *p, const float *slope, float *gradient)
{
    int last = p->net->nlayers - 1;
    bool add;
    memset(p->sloped, 0, sizeof p->sloped);
    p->gradient = gradient;
    put(slope_of(p, last, &add), slope, (size_t)p->batch->n, false);
    for (int i = last; i >= 0; i--)
        layer_backward(p, i);
}
