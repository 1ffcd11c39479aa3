/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/import/layer_kernels.h"

#include <string.h>

static void put(struct onnx_kernel *k, const char *key, int64_t v, int64_t fallback)
{
    if (v != fallback)
        text_printf(&k->spec, " %s=%lld", key, (long long)v);
}

/* "1", or "0,1" where both sides differ. */
static void put_pad(struct onnx_kernel *k, const char *key, const struct onnx_window *w)
{
    if (w->before == w->after)
        put(k, key, w->before, 0);
    else
        text_printf(&k->spec, " %s=%lld,%lld", key, (long long)w->before, (long long)w->after);
}

/* Blocks are the largest divisors up to 16, which TVM begins with on a processor with vectors of 512 bits
 * (topi/x86/conv2d_avx_common.py, _fallback_schedule). */
static int64_t block(int64_t channels)
{
    int64_t b = 16;
    while (b > 1 && channels % b)
        b--;
    return b;
}

static void put_block(struct onnx_kernel *k, const char *key, int64_t channels)
{
    if (k->layout == ONNX_BLOCKED)
        put(k, key, block(channels), 0);
}

static void put_layout(struct onnx_kernel *k)
{
    if (k->layout == ONNX_NHWC)
        text_add(&k->spec, " layout=nhwc");
}

static bool none(struct onnx_kernel *k, const char *why)
{
    k->why = why;
    return false;
}

/* ---- convolutions ---- */

/* The last two spatial axes; what has one is as one of height 1. */
struct plane {
    int64_t n, c, h, w;
    struct onnx_window wh, ww;
};

static bool plane_of(const struct onnx_graph *g, const struct onnx_node *n, const struct onnx_shape *weight,
                     struct plane *p)
{
    const struct onnx_shape *x = &onnx_in(g, n, 0)->shape;
    struct onnx_window w[ONNX_RANK];
    struct err ignored;
    if (x->rank < 3 || x->rank > 4 || !onnx_windows(n, x, weight ? weight->dims + 2 : NULL, w, &ignored))
        return false;
    bool line = x->rank == 3;
    *p = (struct plane){x->dims[0],
                        x->dims[1],
                        line ? 1 : x->dims[2],
                        x->dims[x->rank - 1],
                        line ? (struct onnx_window){1, 1, 1, 0, 0} : w[0],
                        w[!line]};
    return true;
}

static void put_windows(struct onnx_kernel *k, const struct plane *p, bool dilated)
{
    put(k, "sh", p->wh.stride, 1);
    put(k, "sw", p->ww.stride, 1);
    put_pad(k, "ph", &p->wh);
    put_pad(k, "pw", &p->ww);
    if (dilated) {
        put(k, "dh", p->wh.dilation, 1);
        put(k, "dw", p->ww.dilation, 1);
    }
}

static void put_plane(struct onnx_kernel *k, const char *operator, const struct plane * p, const char *channels)
{
    text_add(&k->spec, operator);
    put(k, "n", p->n, 1);
    put(k, channels, p->c, 0);
    put(k, "hi", p->h, 0);
    put(k, "wi", p->w, 0);
}

bool kernel_convolution(const struct onnx_graph *g, const struct onnx_node *n, struct onnx_kernel *k)
{
    const struct onnx_shape *w = &onnx_in(g, n, 1)->shape;
    int64_t groups = onnx_int(n, "group", 1), co = w->dims[0];
    struct plane p;
    if (!plane_of(g, n, w, &p))
        return none(k, "it has more than two spatial axes");
    bool depthwise = groups > 1 && groups == p.c;
    put_plane(k, depthwise ? "depthwise_conv2d" : "conv2d", &p, "ci");
    put(k, "co", co, depthwise ? p.c : 0);
    put(k, "kh", p.wh.kernel, 0);
    put(k, "kw", p.ww.kernel, 0);
    put_windows(k, &p, true);
    if (!depthwise)
        put(k, "groups", groups, 1);
    put_block(k, "cib", depthwise ? p.c : p.c / groups);
    put_block(k, "cob", co);
    put_layout(k);
    k->params = (double)onnx_elements(w);
    return true;
}

bool kernel_transposed_convolution(const struct onnx_graph *g, const struct onnx_node *n, struct onnx_kernel *k)
{
    const struct onnx_shape *w = &onnx_in(g, n, 1)->shape;
    struct plane p;
    int64_t more[ONNX_RANK] = {0};
    int count;
    struct err ignored;
    if (!plane_of(g, n, w, &p) || onnx_in(g, n, 0)->shape.rank != 4 || onnx_int(n, "group", 1) != 1 ||
        p.wh.dilation > 1 || p.ww.dilation > 1 || onnx_attribute(n, "output_shape") ||
        !onnx_list(g, n, "output_padding", -1, more, &count, &ignored))
        return none(k,
                    "only transposed convolutions of two axes without groups, dilation and output_shape are kernels");
    put_plane(k, "conv2d_transpose", &p, "ci");
    put(k, "co", w->dims[1], 0);
    put(k, "kh", p.wh.kernel, 0);
    put(k, "kw", p.ww.kernel, 0);
    put_windows(k, &p, false);
    put(k, "oh", count < 0 ? 0 : more[0], 0);
    put(k, "ow", count < 0 ? 0 : more[1], 0);
    k->params = (double)onnx_elements(w);
    return true;
}

/* ---- products of matrices ---- */

/* Rows, columns and length of a product; batch: of how many, 1 where the second matrix is one. */
struct product {
    int64_t batch, rows, columns, length;
};

static struct product product_of(const struct onnx_graph *g, const struct onnx_node *n)
{
    const struct onnx_shape *a = &onnx_in(g, n, 0)->shape, *b = &onnx_in(g, n, 1)->shape;
    const struct onnx_shape *out = &onnx_out(g, n, 0)->shape;
    bool gemm = str_eq(n->op, "Gemm"), ta = gemm && onnx_int(n, "transA", 0);
    struct product p = {1, 1, b->rank > 1 ? out->dims[out->rank - 1] : 1, a->dims[ta ? 0 : a->rank - 1]};
    int64_t all = onnx_elements(out) / (p.columns ? p.columns : 1);
    p.rows = b->rank <= 2 ? all : a->rank > 1 ? a->dims[a->rank - 2] : 1;
    p.batch = p.rows ? all / p.rows : 1;
    return p;
}

double kernel_multiply_adds(const struct onnx_graph *g, const struct onnx_node *n)
{
    double out = (double)onnx_elements(&onnx_out(g, n, 0)->shape);
    const struct onnx_shape *x = &onnx_in(g, n, 0)->shape, *w = &onnx_in(g, n, 1)->shape;
    if (str_starts(n->op,
                   "ConvT")) /* as a convolution over an input with zeros between: also the window of each output */
        return out * (double)onnx_elements(w) / (double)w->dims[1] / (double)onnx_int(n, "group", 1);
    if (str_eq(n->op, "Conv"))
        return out * (double)onnx_elements(w) / (double)w->dims[0];
    bool ta = str_eq(n->op, "Gemm") && onnx_int(n, "transA", 0);
    return out * (double)x->dims[ta ? 0 : x->rank - 1];
}

bool kernel_product(const struct onnx_graph *g, const struct onnx_node *n, struct onnx_kernel *k)
{
    const struct onnx_value *b = onnx_in(g, n, 1);
    struct product p = product_of(g, n);
    if (b->constant && b->shape.rank <= 2) {
        text_add(&k->spec, "dense");
        put(k, "n", p.rows, 1);
        put(k, "ci", p.length, 0);
        put(k, "co", p.columns, 0);
        k->params = (double)onnx_elements(&b->shape);
        return true;
    }
    text_add(&k->spec, "batch_matmul");
    put(k, "b", p.batch, 1);
    put(k, "n", p.rows, 0);
    put(k, "m", p.columns, 0);
    put(k, "k", p.length, 0);
    return true;
}

/* ---- poolings ---- */

bool kernel_pool(const struct onnx_graph *g, const struct onnx_node *n, struct onnx_kernel *k)
{
    struct plane p;
    bool most = str_eq(n->op, "MaxPool");
    if (!plane_of(g, n, NULL, &p))
        return none(k, "it has more than two spatial axes");
    put_plane(k, "pool2d", &p, "c");
    put_block(k, "cb", p.c);
    put(k, "kh", p.wh.kernel, 0);
    put(k, "kw", p.ww.kernel, 0);
    put_windows(k, &p, true);
    text_add(&k->spec, most ? " pool=max" : " pool=avg");
    bool padded = p.wh.before || p.wh.after || p.ww.before || p.ww.after;
    put(k, "include_pad", !most && padded && onnx_int(n, "count_include_pad", 0), 0);
    put_layout(k);
    return true;
}

/* global_pool2d and mean: of four axes, over the last two. */
static bool over_plane(const struct onnx_graph *g, const struct onnx_node *n, const char *operator,
                       struct onnx_kernel * k)
{
    const struct onnx_shape *x = &onnx_in(g, n, 0)->shape;
    if (x->rank < 3 || x->rank > 4)
        return none(k, "it has more than two spatial axes");
    struct plane p = {.n = x->dims[0], .c = x->dims[1], .h = x->rank == 4 ? x->dims[2] : 1, .w = x->dims[x->rank - 1]};
    put_plane(k, operator, & p, "c");
    put_block(k, "cb", p.c);
    return true;
}

bool kernel_global_pool(const struct onnx_graph *g, const struct onnx_node *n, struct onnx_kernel *k)
{
    if (!over_plane(g, n, "global_pool2d", k))
        return false;
    text_add(&k->spec, str_eq(n->op, "GlobalMaxPool") ? " pool=max" : " pool=avg");
    put_layout(k);
    return true;
}

/* ---- rows ---- */

/* softmax over the last axis: its axes longer than 1, of which the first take in what are more than four. */
bool kernel_softmax(const struct onnx_graph *g, const struct onnx_node *n, struct onnx_kernel *k)
{
    const struct onnx_shape *x = &onnx_in(g, n, 0)->shape;
    static const char *const KEYS[] = {"n", "h", "w"};
    int axis = onnx_axis(onnx_int(n, "axis", g->opset < 13 ? 1 : -1), x->rank), count = 0;
    int64_t rows[ONNX_RANK];
    if (axis < 0 || axis != x->rank - 1)
        return none(k, "only a softmax over the last axis is a kernel");
    for (int i = 0; i < x->rank - 1; i++) {
        if (x->dims[i] == 1)
            continue;
        if (count == 3)
            rows[2] *= x->dims[i];
        else
            rows[count++] = x->dims[i];
    }
    text_add(&k->spec, "softmax");
    for (int i = 0; i < count; i++)
        put(k, KEYS[i], rows[i], 0);
    put(k, "c", x->dims[x->rank - 1], 0);
    return true;
}

static void put_rows(struct onnx_kernel *k, const char *operator, int64_t rows, const char *key, int64_t columns)
{
    text_add(&k->spec, operator);
    put(k, "n", rows, 1);
    put(k, key, columns, 0);
}

bool kernel_layer_norm(const struct onnx_graph *g, const struct onnx_node *n, struct onnx_kernel *k)
{
    const struct onnx_shape *x = &onnx_in(g, n, 0)->shape;
    int axis = onnx_axis(onnx_int(n, "axis", -1), x->rank);
    int64_t columns = 1;
    if (axis < 0)
        return none(k, "its axis is none of its input");
    for (int i = axis; i < x->rank; i++)
        columns *= x->dims[i];
    bool mean = str_starts(n->op, "Layer");
    put_rows(k, mean ? "layer_norm" : "rms_norm", columns ? onnx_elements(x) / columns : 0, "c", columns);
    k->params = (double)columns * (1 + mean);
    return true;
}

/* The mean of images; else sum, maximum or minimum of rows (of which a mean is the sum, to be divided). */
bool kernel_reduce(const struct onnx_graph *g, const struct onnx_node *n, struct onnx_kernel *k)
{
    const struct onnx_shape *x = &onnx_in(g, n, 0)->shape;
    bool reduced[ONNX_RANK], mean = str_eq(n->op, "ReduceMean");
    struct err ignored;
    int kept = x->rank;
    int64_t columns = 1;
    if (!onnx_reduced_axes(g, n, reduced, &ignored))
        return none(k, "its axes are computed from data");
    while (kept > 0 && reduced[kept - 1])
        columns *= x->dims[--kept];
    for (int i = 0; i < kept; i++)
        if (reduced[i])
            return none(k, "only a reduction of the last axes is a kernel");
    if (mean && x->rank == 4 && kept == 2) {
        bool done = over_plane(g, n, "mean", k);
        put_layout(k);
        return done;
    }
    put_rows(k, "reduce", columns ? onnx_elements(x) / columns : 0, "m", columns);
    if (str_eq(n->op, "ReduceMax") || str_eq(n->op, "ReduceMin"))
        text_add(&k->spec, str_eq(n->op, "ReduceMax") ? " by=max" : " by=min");
    return true;
}
