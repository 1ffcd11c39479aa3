/* SPDX-License-Identifier: Apache-2.0 */
/* net: parameter counts of the published networks; gradients of every kind of layer and of the whole networks against
 * finite differences; layers by hand; the same numbers on one thread and on three. */
#include "models/nn/net.h"

#include "models/nn/net_backward.h"
#include "models/nn/networks.h"
#include "tests/lib/random_data.h"
#include "tests/lib/tap.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Random examples: so many rows each, of every input. */
struct data {
    struct net_batch batch;
    float *rows[NET_INPUTS];
    int *first[NET_INPUTS];
};

static struct data data_make(const struct net *n, int examples, const int rows[NET_INPUTS], uint64_t seed)
{
    struct data d = {.batch = {.n = examples}};
    struct rng rng;
    rng_seed(&rng, seed);
    for (int i = 0; i < n->ninputs; i++) {
        d.first[i] = calloc((size_t)examples + 1, sizeof(int));
        for (int e = 0; e < examples; e++)
            d.first[i][e + 1] = d.first[i][e] + (rows[i] ? rows[i] : 1 + (int)rng_below(&rng, 5));
        size_t floats = (size_t)d.first[i][examples] * (size_t)n->layer[i].width;
        d.rows[i] = calloc(floats + 1, sizeof(float));
        for (size_t k = 0; k < floats; k++)
            d.rows[i][k] = (float)random_data_normal(&rng);
        d.batch.in[i].at = d.rows[i];
        d.batch.in[i].first = d.first[i];
    }
    return d;
}

static void data_free(struct data *d)
{
    for (int i = 0; i < NET_INPUTS; i++) {
        free(d->rows[i]);
        free(d->first[i]);
    }
}

/* A loss that is linear in the scores, and its slopes. */
static double loss_of(struct net_pass *p, const struct net *n, const struct data *d, enum net_mode mode, float *slope)
{
    const float *score = net_forward(p, n, &d->batch, mode);
    double sum = 0;
    for (int i = 0; i < d->batch.n; i++) {
        slope[i] = (float)sin(1 + i);
        sum += (double)score[i] * (double)slope[i];
    }
    return sum;
}

/* Central difference along a direction of the parameters. */
static double difference(struct net *n, const struct data *d, enum net_mode mode, const float *way, double step)
{
    struct net_pass *p = net_pass_open(NULL);
    float *kept = malloc(sizeof(float) * n->nparams), *slope = calloc((size_t)d->batch.n, sizeof(float));
    double loss[2];
    memcpy(kept, n->param, sizeof(float) * n->nparams);
    for (int side = 0; side < 2; side++) {
        for (size_t k = 0; k < n->nparams; k++)
            n->param[k] = (float)((double)kept[k] + (side ? step : -step) * (double)way[k]);
        loss[side] = loss_of(p, n, d, mode, slope);
    }
    memcpy(n->param, kept, sizeof(float) * n->nparams);
    free(kept);
    free(slope);
    net_pass_close(p);
    return (loss[1] - loss[0]) / (2 * step);
}

static float *gradient_of(const struct net *n, const struct data *d, enum net_mode mode, struct pool *pool)
{
    struct net_pass *p = net_pass_open(pool);
    float *gradient = malloc(sizeof(float) * (n->nparams + 1)), *slope = calloc((size_t)d->batch.n, sizeof(float));
    memset(gradient, 0xff, sizeof(float) * n->nparams); /* NaN: all must be written */
    loss_of(p, n, d, mode, slope);
    net_backward(p, slope, gradient);
    free(slope);
    net_pass_close(p);
    return gradient;
}

static double norm(const float *x, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += (double)x[i] * (double)x[i];
    return sqrt(sum);
}

/* Each single parameter of a small network. */
static void check_single(struct net *n, const struct data *d, enum net_mode mode, const char *what)
{
    float *gradient = gradient_of(n, d, mode, NULL), *way = calloc(n->nparams, sizeof *way);
    double off = 0, seen = 0;
    for (size_t k = 0; k < n->nparams; k++) {
        way[k] = 1;
        double slope = difference(n, d, mode, way, 4e-3), wrong = slope - (double)gradient[k];
        way[k] = 0;
        off += wrong * wrong;
        seen += slope * slope;
    }
    ok(sqrt(off) < 0.01 * sqrt(seen) && seen > 0, "%s: the slopes by single parameters are right (off by %.1e of %.2g)",
       what, sqrt(off), sqrt(seen));
    free(gradient);
    free(way);
}

/* Of a few steps the one that agrees best: long ones meet kinks of relu, short ones drown in rounding. */
static double closest(struct net *n, const struct data *d, enum net_mode mode, const float *way, double want)
{
    static const double changes[] = {0.02, 0.004, 0.0008, 0.00016};
    double best = INFINITY;
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        double slope = difference(n, d, mode, way, changes[i] / want);
        best = fabs(slope - want) < fabs(best - want) ? slope : best;
    }
    return best;
}

/* Layer by layer of a large network: along the gradient by a random half of the layer's parameters, since a single one
 * changes too little. */
static void check_layers(struct net *n, const struct data *d, enum net_mode mode, const char *what)
{
    float *gradient = gradient_of(n, d, mode, NULL), *way = calloc(n->nparams, sizeof *way);
    struct rng rng;
    rng_seed(&rng, 8);
    for (int i = 0; i < n->nlayers; i++) {
        const struct layer *l = &n->layer[i], *from = i >= n->ninputs ? &n->layer[l->from] : NULL;
        size_t end = l->bias + (size_t)l->width;
        if (l->kind != LAYER_LINEAR && l->kind != LAYER_BATCH_NORM)
            continue;
        memset(way, 0, sizeof *way * n->nparams);
        for (size_t k = l->weight; k < end; k++)
            way[k] = rng_unit(&rng) < 0.5 ? gradient[k] : 0;
        double length = norm(way, n->nparams);
        for (size_t k = l->weight; k < end; k++)
            way[k] = (float)((double)way[k] / length);
        is_near(closest(n, d, mode, way, length), length, 0.01, "%s: the gradient of layer %d, %d x %d", what, i,
                l->width, from->width);
    }
    free(gradient);
    free(way);
}

static void start(struct net *n, uint64_t seed)
{
    struct rng rng;
    rng_seed(&rng, seed);
    net_start(n, &rng);
    for (int i = 0; i < n->nlayers; i++) /* batch norm other than at the start */
        for (int k = 0; n->layer[i].kind == LAYER_BATCH_NORM && k < n->layer[i].width; k++) {
            n->param[n->layer[i].weight + (size_t)k] = (float)(1 + 0.3 * random_data_normal(&rng));
            n->param[n->layer[i].bias + (size_t)k] = (float)random_data_normal(&rng);
            n->buffer[n->layer[i].buffer + (size_t)k] = (float)random_data_normal(&rng);
            n->buffer[n->layer[i].buffer + (size_t)(n->layer[i].width + k)] = (float)(0.5 + rng_unit(&rng));
        }
}

enum { SMALL = 6 };
static const int any_rows[NET_INPUTS] = {0, 0};

/* One kind of layer between two linear ones, so that its own input needs slopes. */
static void small_net(struct net *n, enum layer_kind kind)
{
    *n = (struct net){0};
    int x = net_input(n, 4), y = net_input(n, 3), last;
    x = net_linear(n, x, SMALL, false);
    y = net_sum(n, net_linear(n, y, SMALL, kind == LAYER_LINEAR));
    if (kind == LAYER_ATTENTION)
        x = net_attention(n, x, 2);
    if (kind == LAYER_ADD)
        x = net_residual(n, x);
    last = net_sum(n, x);
    if (kind == LAYER_BATCH_NORM)
        last = net_batch_norm(n, last);
    last = kind == LAYER_CONCAT ? net_concat(n, last, y) : net_add(n, last, y);
    net_linear(n, last, 1, false);
    net_finish(n);
    start(n, 3);
}

static void test_layers(void)
{
    static const struct {
        enum layer_kind kind;
        const char *name;
    } kinds[] = {{LAYER_LINEAR, "linear with relu"},
                 {LAYER_ADD, "residual block"},
                 {LAYER_CONCAT, "concatenation"},
                 {LAYER_ATTENTION, "attention"},
                 {LAYER_BATCH_NORM, "batch norm"}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        for (enum net_mode mode = NET_BATCH; mode <= NET_RUNNING; mode++) {
            struct net n;
            char what[80];
            snprintf(what, sizeof what, "%s, statistics %s", kinds[i].name, mode ? "kept" : "of the batch");
            small_net(&n, kinds[i].kind);
            struct data d = data_make(&n, 11, any_rows, 5);
            check_single(&n, &d, mode, what);
            data_free(&d);
            net_close(&n);
        }
}

static void make(struct net *n, int which)
{
    if (which == 0)
        net_make_pacm(n);
    else if (which == 1)
        net_make_mlp(n);
    else
        net_make_tlp(n, TLP_GPU_WIDTH);
}

static void test_networks(void)
{
    static const char *const names[] = {"PaCM", "TenSet's MLP", "TLP"};
    static const int params[] = {417409, 242433, 610241}, rows[][NET_INPUTS] = {{0, 8}, {0, 0}, {12, 0}};
    struct pool *pool = pool_open(3);
    for (int i = 0; i < 3; i++) {
        struct net n;
        make(&n, i);
        is_int((int64_t)n.nparams, params[i], "%s has the published number of parameters", names[i]);
        start(&n, 17);
        struct data d = data_make(&n, 40, rows[i], 9);
        check_layers(&n, &d, NET_BATCH, names[i]);
        check_layers(&n, &d, NET_RUNNING, names[i]);
        float *one = gradient_of(&n, &d, NET_BATCH, NULL), *three = gradient_of(&n, &d, NET_BATCH, pool);
        is_mem(three, one, sizeof *one * n.nparams, "%s: three threads give the gradient of one", names[i]);
        free(one);
        free(three);
        data_free(&d);
        net_close(&n);
    }
    pool_close(pool);
    struct net n;
    net_make_tlp(&n, TLP_CPU_WIDTH);
    is_int((int64_t)n.nparams, 610369, "TLP has 128 parameters more for CPUs, whose rows are two wider");
    net_close(&n);
}

/* Two rows of one feature through weight 1: 3 and 1 sum to 4; batch norm over {4, 2} by hand. */
static void test_by_hand(void)
{
    struct net n = {0};
    static const float rows[] = {3, 1, 2, -1};
    static const int first[] = {0, 2, 4};
    struct net_batch b = {.n = 2, .in = {{rows, first}}};
    int x = net_linear(&n, net_input(&n, 1), 1, true);
    net_batch_norm(&n, net_sum(&n, x));
    net_finish(&n);
    start(&n, 1);
    n.param[0] = 1, n.param[1] = 0.0f;
    n.param[2] = 2, n.param[3] = 5;
    n.buffer[0] = 1, n.buffer[1] = 4;
    struct net_pass *p = net_pass_open(NULL);
    const float *s = net_forward(p, &n, &b, NET_RUNNING);
    is_near((double)s[0], 5 + 2 * 3 / sqrt(4 + 1e-5), 1e-6, "batch norm by running statistics is worked by hand");
    is_near((double)s[1], 5 + 2 * 1 / sqrt(4 + 1e-5), 1e-6, "relu leaves the negative row out of the sum");
    s = net_forward(p, &n, &b, NET_BATCH);
    is_near((double)s[0], 5 + 2 * 1 / sqrt(1 + 1e-5), 1e-6, "batch norm by the batch has mean 3 and variance 1");
    net_gather_statistics(p, &n);
    is_near((double)n.buffer[0], 0.9 * 1 + 0.1 * 3, 1e-6, "a tenth of the batch's mean goes into the running one");
    is_near((double)n.buffer[1], 0.9 * 4 + 0.1 * 2, 1e-6, "the variance that goes in is the unbiased one");
    net_pass_close(p);
    net_close(&n);
}

/* One head of width 1 over two rows: weights are a softmax of products. */
static void test_attention_by_hand(void)
{
    struct net n = {0};
    static const float rows[] = {1, 2};
    static const int first[] = {0, 2};
    struct net_batch b = {.n = 1, .in = {{rows, first}}};
    net_sum(&n, net_attention(&n, net_input(&n, 1), 1));
    net_finish(&n);
    n.param[0] = n.param[1] = n.param[2] = n.param[6] = 1; /* q, k, v and the output; biases are 0 */
    struct net_pass *p = net_pass_open(NULL);
    double w1 = exp(2) / (exp(1) + exp(2)), w2 = exp(4) / (exp(2) + exp(4));
    double want = (1 + (1 - w1) * 1 + w1 * 2) + (2 + (1 - w2) * 1 + w2 * 2);
    is_near((double)net_forward(p, &n, &b, NET_RUNNING)[0], want, 1e-6, "attention over two rows is worked by hand");
    net_pass_close(p);
    net_close(&n);
}

/* PyTorch's bounds, reached and not passed. */
static void test_start(void)
{
    struct net n;
    struct rng rng;
    rng_seed(&rng, 2);
    net_make_pacm(&n);
    net_start(&n, &rng);
    for (int i = 0; i < n.nlayers; i++) {
        const struct layer *l = &n.layer[i];
        float most = 0;
        int in = l->kind == LAYER_LINEAR ? n.layer[l->from].width : 0;
        for (int k = 0; k < l->width * in; k++)
            most = fmaxf(most, fabsf(n.param[l->weight + (size_t)k]));
        double bound = l->width == 384 ? sqrt(6. / (4 * 128)) : 1 / sqrt(in);
        if (in)
            ok((double)most <= bound && (double)most > 0.95 * bound, "layer %d starts uniform up to %.4f", i, bound);
    }
    net_close(&n);
}

int main(void)
{
    test_by_hand();
    test_attention_by_hand();
    test_start();
    test_layers();
    test_networks();
    return done_testing();
}
