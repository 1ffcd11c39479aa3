/* SPDX-License-Identifier: Apache-2.0 */
/* net_pass: memory and the way forwards. Layer by layer, each cut into parts of a fixed number of rows or examples. */
#include "models/nn/net_pass.h"

#include "harness/base/err.h"
#include "models/nn/attention.h"
#include "models/nn/gemm.h"
#include "models/nn/net_layers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct net_pass *net_pass_open(struct pool *pool)
{
    struct net_pass *p = calloc(1, sizeof *p);
    if (!p)
        bug("out of memory");
    p->pool = pool;
    p->nthreads = pool_threads(pool);
    p->scratch = calloc((size_t)p->nthreads, sizeof *p->scratch);
    if (!p->scratch)
        bug("out of memory");
    return p;
}

void net_pass_close(struct net_pass *p)
{
    if (!p)
        return;
    for (int i = 0; i < p->nthreads; i++)
        free(p->scratch[i].at);
    for (int i = 0; i < NET_LAYERS; i++) {
        free(p->outs[i].at);
        free(p->slopes[i].at);
    }
    free(p->scratch);
    free(p->norm.at);
    free(p);
}

static float *out_of(const struct pass_part *t)
{
    return t->p->outs[t->i].at;
}

static void linear_part(const struct pass_part *t, int item, int thread)
{
    (void)thread;
    const struct layer *l = t->l;
    int in = t->p->net->layer[l->from].width, rows = pass_rows(t->p, t->i), begin = item * PASS_ROWS,
        end = part_end(rows, PASS_ROWS, item);
    int m = end - begin, n = l->width;
    const float *bias = t->p->net->param + l->bias, *x = t->p->out[l->from] + (size_t)begin * (size_t)in,
                *w = t->p->net->param + l->weight;
    float *out = out_of(t) + (size_t)begin * (size_t)n;
    for (int r = 0; r < m; r++)
        memcpy(out + (size_t)r * (size_t)n, bias, sizeof *bias * (size_t)n);
    gemm(&(struct gemm){
        .m = m, .n = n, .k = in, .tb = true, .add = true, .a = x, .b = w, .c = out, .lda = in, .ldb = in, .ldc = n});
    for (size_t k = 0; l->relu && k < (size_t)m * (size_t)n; k++)
        out[k] = out[k] > 0 ? out[k] : 0;
}

static void join_part(const struct pass_part *t, int item, int thread) /* ADD and CONCAT */
{
    (void)thread;
    const struct layer *l = t->l;
    int end = part_end(pass_rows(t->p, t->i), PASS_ROWS, item);
    size_t x_width = (size_t)t->p->net->layer[l->from].width, y_width = (size_t)t->p->net->layer[l->other].width;
    for (int r = item * PASS_ROWS; r < end; r++) {
        const float *x = t->p->out[l->from] + (size_t)r * x_width, *y = t->p->out[l->other] + (size_t)r * y_width;
        float *out = out_of(t) + (size_t)r * (size_t)l->width;
        if (l->kind == LAYER_CONCAT) {
            memcpy(out, x, sizeof *x * x_width);
            memcpy(out + x_width, y, sizeof *y * y_width);
        } else {
            for (int k = 0; k < l->width; k++)
                out[k] = x[k] + y[k];
        }
    }
}

static void sum_part(const struct pass_part *t, int item, int thread)
{
    (void)thread;
    const struct layer *l = t->l;
    int end = part_end(t->p->batch->n, PASS_EXAMPLES, item);
    for (int e = item * PASS_EXAMPLES; e < end; e++) {
        float *out = out_of(t) + (size_t)e * (size_t)l->width;
        memset(out, 0, sizeof *out * (size_t)l->width);
        for (int r = pass_first(t->p, l->from, e); r < pass_first(t->p, l->from, e + 1); r++)
            for (int k = 0; k < l->width; k++)
                out[k] += t->p->out[l->from][(size_t)r * (size_t)l->width + (size_t)k];
    }
}

static void attention_part(const struct pass_part *t, int item, int thread)
{
    const struct layer *l = t->l;
    int end = part_end(t->p->batch->n, PASS_EXAMPLES, item);
    for (int e = item * PASS_EXAMPLES; e < end; e++) {
        int first = pass_first(t->p, t->i, e), rows = pass_first(t->p, t->i, e + 1) - first;
        if (rows == 0)
            continue;
        struct attention one = {.rows = rows,
                                .width = l->width,
                                .heads = l->heads,
                                .three = t->p->out[l->from] + 3 * (size_t)first * (size_t)l->width,
                                .memory = pass_array_grow(&t->p->scratch[thread], (size_t)attention_memory(rows))};
        attention_forward(&one, out_of(t) + (size_t)first * (size_t)l->width);
    }
}

/* Means and variances of the columns over the rows, in the order of the rows. */
static void column_statistics(const float *x, int rows, int width, float *mean, float *variance)
{
    for (int k = 0; k < width; k++) {
        double sum = 0, squares = 0;
        for (int r = 0; r < rows; r++)
            sum += (double)x[(size_t)r * (size_t)width + (size_t)k];
        double m = sum / rows;
        for (int r = 0; r < rows; r++) {
            double d = (double)x[(size_t)r * (size_t)width + (size_t)k] - m;
            squares += d * d;
        }
        mean[k] = (float)m;
        variance[k] = (float)(squares / rows);
    }
}

static void batch_norm(const struct pass_part *t)
{
    const struct layer *l = t->l;
    int w = l->width, rows = t->p->batch->n;
    const float *x = t->p->out[l->from], *gain = t->p->net->param + l->weight, *shift = t->p->net->param + l->bias;
    float *mean = t->p->norm.at + t->p->norm_at[t->i], *variance = mean + w;
    if (t->p->mode == NET_BATCH)
        column_statistics(x, rows, w, mean, variance);
    else
        memcpy(mean, t->p->net->buffer + l->buffer, sizeof *mean * 2 * (size_t)w);
    for (int k = 0; k < w; k++) {
        float unit = (float)(1 / sqrt((double)variance[k] + NET_NORM_EPSILON));
        for (size_t r = 0; r < (size_t)rows; r++)
            out_of(t)[r * (size_t)w + (size_t)k] = (x[r * (size_t)w + (size_t)k] - mean[k]) * unit * gain[k] + shift[k];
    }
}

static void layer_forward(struct net_pass *p, int i)
{
    const struct layer *l = &p->net->layer[i];
    int rows = pass_rows(p, i);
    struct pass_part t = {.p = p, .l = l, .i = i};
    p->out[i] =
        l->kind == LAYER_INPUT ? p->batch->in[i].at : pass_array_grow(&p->outs[i], (size_t)rows * (size_t)l->width);
    static const struct {
        void (*work)(const struct pass_part *part, int item, int thread);
        bool by_rows; /* else by examples */
    } LAYERS[LAYER_KINDS] = {[LAYER_LINEAR] = {linear_part, true},
                             [LAYER_ADD] = {join_part, true},
                             [LAYER_CONCAT] = {join_part, true},
                             [LAYER_SUM] = {sum_part, false},
                             [LAYER_ATTENTION] = {attention_part, false}};
    t.work = LAYERS[l->kind].work;
    if (t.work)
        pass_split(&t, LAYERS[l->kind].by_rows ? parts_of(rows, PASS_ROWS) : parts_of(p->batch->n, PASS_EXAMPLES));
    else if (l->kind == LAYER_BATCH_NORM)
        batch_norm(&t);
}

const float *net_forward(struct net_pass *p, const struct net *n, const struct net_batch *b, enum net_mode mode)
{
    p->net = n;
    p->batch = b;
    p->mode = mode;
    size_t norms = 0;
    for (int i = 0; i < n->nlayers; i++)
        if (n->layer[i].kind == LAYER_BATCH_NORM) {
            p->norm_at[i] = norms;
            norms += 2 * (size_t)n->layer[i].width;
        }
    pass_array_grow(&p->norm, norms);
    for (int i = 0; i < n->nlayers; i++)
        layer_forward(p, i);
    return p->out[n->nlayers - 1];
}

void net_gather_statistics(const struct net_pass *p, struct net *n)
{
    double rows = p->batch->n, unbiased = rows > 1 ? rows / (rows - 1) : 1;
    for (int i = 0; i < n->nlayers; i++) {
        const struct layer *l = &n->layer[i];
        const float *used = p->norm.at + p->norm_at[i];
        for (int k = 0; l->kind == LAYER_BATCH_NORM && k < 2 * l->width; k++) {
            float *kept = &n->buffer[l->buffer + (size_t)k];
            double now = (double)used[k] * (k < l->width ? 1 : unbiased);
            *kept = (float)((1 - NET_NORM_MOMENTUM) * (double)*kept + NET_NORM_MOMENTUM * now);
        }
    }
}
