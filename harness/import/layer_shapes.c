/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/import/layer_shapes.h"

#include "harness/base/int_math.h"

#include <math.h>

int onnx_axis(int64_t axis, int rank)
{
    axis += axis < 0 ? rank : 0;
    return axis >= 0 && axis < rank ? (int)axis : -1;
}

static bool put_shape(const struct onnx_graph *g, const struct onnx_node *n, const struct onnx_shape *s)
{
    for (int i = 0; i < n->nout; i++)
        if (onnx_out(g, n, i))
            onnx_out(g, n, i)->shape = *s;
    return true;
}

bool infer_same(struct onnx_graph *g, const struct onnx_node *n, struct err *err)
{
    (void)err;
    return put_shape(g, n, &onnx_in(g, n, 0)->shape);
}

/* ---- element by element ---- */

static bool broadcast(struct onnx_shape *s, const struct onnx_shape *with, struct err *err)
{
    struct onnx_shape out = {.rank = s->rank > with->rank ? s->rank : with->rank};
    for (int i = 1; i <= out.rank; i++) {
        int64_t a = i <= s->rank ? s->dims[s->rank - i] : 1, b = i <= with->rank ? with->dims[with->rank - i] : 1;
        if (a != b && a != 1 && b != 1)
            return err_set(err, "its inputs differ in an axis, %lld against %lld", (long long)a, (long long)b);
        out.dims[out.rank - i] = a == 1 ? b : a;
    }
    *s = out;
    return true;
}

/* The element of v that meets element i of a tensor of shape s. */
static double element(const struct onnx_value *v, const struct onnx_shape *s, int64_t i)
{
    int64_t at = 0, step = 1;
    for (int k = 1; k <= v->shape.rank; k++) {
        int64_t long_axis = s->dims[s->rank - k], own = v->shape.dims[v->shape.rank - k];
        at += own == 1 ? 0 : i % long_axis * step;
        step *= own;
        i /= long_axis;
    }
    return v->data[at];
}

static bool is_whole(const struct onnx_value *v)
{
    return v->type == ONNX_INT32 || v->type == ONNX_INT64;
}

/* The data, where all inputs have theirs: shapes are computed with them. */
static void evaluate(const struct onnx_graph *g, const struct onnx_node *n, struct onnx_value *out)
{
    const struct onnx_value *in[3] = {0};
    int64_t count = onnx_elements(&out->shape);
    bool where = str_eq(n->op, "Where");
    if (n->nin > (where ? 3 : 2) || (!where && !n->row->eval) || count > ONNX_KNOWN)
        return;
    for (int i = 0; i < n->nin; i++)
        if (!(in[i] = onnx_in(g, n, i)) || !in[i]->data)
            return;
    double *data = ARENA_ARRAY(g->arena, double, count + 1);
    bool whole = is_whole(in[0]) && in[1] && is_whole(in[1]);
    for (int64_t i = 0; i < count; i++) {
        double a = element(in[0], &out->shape, i), b = in[1] ? element(in[1], &out->shape, i) : 0;
        data[i] = !where ? n->row->eval(a, b) : a != 0 ? b : element(in[2], &out->shape, i);
        data[i] = whole ? trunc(data[i]) : data[i];
    }
    out->data = data;
}

bool infer_elements(struct onnx_graph *g, const struct onnx_node *n, struct err *err)
{
    struct onnx_shape s = onnx_in(g, n, 0)->shape;
    for (int i = 1; i < n->nin; i++)
        if (onnx_in(g, n, i) && !broadcast(&s, &onnx_in(g, n, i)->shape, err))
            return false;
    struct onnx_value *out = onnx_out(g, n, 0);
    if (!out)
        return true;
    out->shape = s;
    out->type = onnx_in(g, n, str_eq(n->op, "Where") && n->nin > 1 ? 1 : 0)->type;
    if (onnx_shape_check(&s, err))
        evaluate(g, n, out);
    else
        return false;
    return true;
}

bool infer_cast(struct onnx_graph *g, const struct onnx_node *n, struct err *err)
{
    if (!infer_elements(g, n, err))
        return false;
    struct onnx_value *out = onnx_out(g, n, 0);
    if (!out)
        return true;
    out->type = (int)onnx_int(n, "to", out->type);
    if (out->data && is_whole(out)) {
        double *data = arena_copy(g->arena, out->data, sizeof *data * (size_t)onnx_elements(&out->shape));
        for (int64_t i = 0; i < onnx_elements(&out->shape); i++)
            data[i] = trunc(data[i]);
        out->data = data;
    }
    return true;
}

/* ---- windows ---- */

/* SAME_UPPER and SAME_LOWER: ceil(in / stride) windows; an odd element of padding is at the end, or at the start. */
static void pad_same(struct onnx_window *w, int64_t in, bool upper)
{
    int64_t out = (in + w->stride - 1) / w->stride;
    int64_t pad = (out - 1) * w->stride + (w->kernel - 1) * w->dilation + 1 - in;
    pad = pad > 0 ? pad : 0;
    w->before = upper ? pad / 2 : pad - pad / 2;
    w->after = pad - w->before;
}

enum { MOST_WINDOW = 1 << 24 }; /* elements, of a size, stride, dilation or padding */

bool onnx_windows(const struct onnx_node *n, const struct onnx_shape *in, const int64_t *kernel,
                  struct onnx_window *out, struct err *err)
{
    int64_t sizes[4][ONNX_RANK];
    int counts[4], axes = in->rank - 2;
    static const char *const NAMES[] = {"kernel_shape", "strides", "dilations", "pads"};
    if (axes < 1 || axes > 3)
        return err_set(err, "its input has %d axes, must be 3 to 5", in->rank);
    for (int i = 0; i < 4; i++) {
        if (!onnx_list(NULL, n, NAMES[i], -1, sizes[i], &counts[i], err))
            return false;
        if (counts[i] >= 0 && counts[i] != axes * (i == 3 ? 2 : 1))
            return err_set(err, "'%s' has %d numbers for %d axes", NAMES[i], counts[i], axes);
        for (int k = 0; k < counts[i]; k++)
            if (sizes[i][k] < (i < 3) || sizes[i][k] > MOST_WINDOW)
                return err_set(err, "'%s' has %lld in it", NAMES[i], (long long)sizes[i][k]);
    }
    bool upper = onnx_is(n, "auto_pad", "SAME_UPPER", ""), lower = onnx_is(n, "auto_pad", "SAME_LOWER", "");
    for (int i = 0; i < axes; i++) {
        struct onnx_window *w = &out[i];
        *w = (struct onnx_window){.kernel = counts[0] >= 0 ? sizes[0][i]
                                            : kernel       ? kernel[i]
                                                           : 0,
                                  .stride = counts[1] < 0 ? 1 : sizes[1][i],
                                  .dilation = counts[2] < 0 ? 1 : sizes[2][i],
                                  .before = counts[3] < 0 ? 0 : sizes[3][i],
                                  .after = counts[3] < 0 ? 0 : sizes[3][i + axes]};
        if (w->kernel < 1 || (kernel && w->kernel != kernel[i]))
            return err_set(err, "its window of %lld does not fit its weights", (long long)w->kernel);
        if (upper || lower)
            pad_same(w, in->dims[i + 2], upper);
        w->after += onnx_int(n, "ceil_mode", 0) ? w->stride - 1 : 0;
    }
    return true;
}

/* How often a window fits, rounded down. */
static bool slide(const struct onnx_window *w, int64_t in, int64_t *out, struct err *err)
{
    int64_t room = in + w->before + w->after - (w->kernel - 1) * w->dilation - 1;
    *out = room < 0 || w->stride < 1 ? 0 : room / w->stride + 1;
    return room >= 0 ||
           err_set(err, "its window of %lld is larger than its input of %lld", (long long)w->kernel, (long long)in);
}

bool infer_convolution(struct onnx_graph *g, const struct onnx_node *n, struct err *err)
{
    const struct onnx_shape *x = &onnx_in(g, n, 0)->shape, *w = &onnx_in(g, n, 1)->shape;
    struct onnx_window windows[ONNX_RANK];
    struct onnx_shape s = *x;
    int64_t groups = onnx_int(n, "group", 1);
    if (x->rank != w->rank || x->rank < 3 || groups < 1 || w->dims[0] < 1 || w->dims[0] % groups ||
        sat_mul(w->dims[1], groups) != x->dims[1])
        return err_set(err, "its weights do not fit an input of %d axes and %lld channels", x->rank,
                       x->rank > 1 ? (long long)x->dims[1] : 0);
    if (!onnx_windows(n, x, w->dims + 2, windows, err))
        return false;
    s.dims[1] = w->dims[0];
    for (int i = 2; i < s.rank; i++)
        if (!slide(&windows[i - 2], x->dims[i], &s.dims[i], err))
            return false;
    return put_shape(g, n, &s) && onnx_shape_check(&s, err);
}

bool infer_transposed_convolution(struct onnx_graph *g, const struct onnx_node *n, struct err *err)
{
    const struct onnx_shape *x = &onnx_in(g, n, 0)->shape, *w = &onnx_in(g, n, 1)->shape;
    struct onnx_window windows[ONNX_RANK];
    struct onnx_shape s = *x;
    int64_t more[ONNX_RANK] = {0};
    int count;
    if (x->rank != w->rank || x->rank < 3 || w->dims[0] != x->dims[1])
        return err_set(err, "its weights do not fit its input");
    if (!onnx_windows(n, x, w->dims + 2, windows, err) || !onnx_list(g, n, "output_padding", -1, more, &count, err))
        return false;
    s.dims[1] = sat_mul(w->dims[1], onnx_int(n, "group", 1));
    for (int i = 2; i < s.rank; i++) {
        const struct onnx_window *v = &windows[i - 2];
        s.dims[i] = sat_add(sat_mul(x->dims[i] - 1, v->stride),
                            (v->kernel - 1) * v->dilation + 1 - v->before - v->after + (count < 0 ? 0 : more[i - 2]));
    }
    return put_shape(g, n, &s) && onnx_shape_check(&s, err);
}

bool infer_pool(struct onnx_graph *g, const struct onnx_node *n, struct err *err)
{
    const struct onnx_shape *x = &onnx_in(g, n, 0)->shape;
    struct onnx_window windows[ONNX_RANK] = {0};
    struct onnx_shape s = *x;
    if (!onnx_windows(n, x, NULL, windows, err))
        return false;
    for (int i = 2; i < s.rank; i++)
        if (!slide(&windows[i - 2], x->dims[i], &s.dims[i], err))
            return false;
    return put_shape(g, n, &s) && onnx_shape_check(&s, err);
}

bool infer_global_pool(struct onnx_graph *g, const struct onnx_node *n, struct err *err)
{
    (void)err;
    struct onnx_shape s = onnx_in(g, n, 0)->shape;
    for (int i = 2; i < s.rank; i++)
        s.dims[i] = 1;
    return put_shape(g, n, &s);
}

/* ---- products of matrices ---- */

bool infer_gemm(struct onnx_graph *g, const struct onnx_node *n, struct err *err)
{
    const struct onnx_shape *a = &onnx_in(g, n, 0)->shape, *b = &onnx_in(g, n, 1)->shape;
    int ta = onnx_int(n, "transA", 0) != 0, tb = onnx_int(n, "transB", 0) != 0;
    if (a->rank != 2 || b->rank != 2 || a->dims[!ta] != b->dims[tb])
        return err_set(err, "its matrices do not fit: they must have two axes and a common length");
    struct onnx_shape s = {2, {a->dims[ta], b->dims[!tb]}};
    return put_shape(g, n, &s) && onnx_shape_check(&s, err);
}

bool infer_matmul(struct onnx_graph *g, const struct onnx_node *n, struct err *err)
{
    struct onnx_shape a = onnx_in(g, n, 0)->shape, b = onnx_in(g, n, 1)->shape;
    if (a.rank < 1 || b.rank < 1)
        return err_set(err, "its inputs must have an axis");
    bool row = a.rank == 1, column = b.rank == 1;
    if (row)
        a = (struct onnx_shape){2, {1, a.dims[0]}};
    if (column)
        b = (struct onnx_shape){2, {b.dims[0], 1}};
    int64_t rows = a.dims[a.rank - 2], columns = b.dims[b.rank - 1], length = a.dims[a.rank - 1];
    if (length != b.dims[b.rank - 2])
        return err_set(err, "its matrices do not fit: %lld columns against %lld rows", (long long)length,
                       (long long)b.dims[b.rank - 2]);
    a.rank -= 2;
    b.rank -= 2;
    if (!broadcast(&a, &b, err))
        return false;
    if (!row)
        a.dims[a.rank++] = rows;
    if (!column)
        a.dims[a.rank++] = columns;
    return put_shape(g, n, &a) && onnx_shape_check(&a, err);
}

/* ---- reductions ---- */

bool onnx_reduced_axes(const struct onnx_graph *g, const struct onnx_node *n, bool reduced[ONNX_RANK], struct err *err)
{
    int64_t axes[ONNX_RANK];
    int count, rank = onnx_in(g, n, 0)->shape.rank;
    if (onnx_attribute(n, "axis")) { /* ArgMax, ArgMin */
        axes[0] = onnx_int(n, "axis", 0);
        count = 1;
    } else if (!onnx_list(g, n, "axes", 1, axes, &count, err))
        return false;
    bool all = count <= 0 && !onnx_int(n, "noop_with_empty_axes", 0);
    for (int i = 0; i < rank; i++)
        reduced[i] = all;
    for (int i = 0; i < count; i++) {
        int axis = onnx_axis(axes[i], rank);
        if (axis < 0)
            return err_set(err, "axis %lld of a tensor of %d axes", (long long)axes[i], rank);
        reduced[axis] = true;
    }
    return true;
}

bool infer_reduce(struct onnx_graph *g, const struct onnx_node *n, struct err *err)
{
    const struct onnx_value *x = onnx_in(g, n, 0);
    bool reduced[ONNX_RANK], keep = onnx_int(n, "keepdims", 1);
    struct onnx_shape s = {0};
    if (!onnx_reduced_axes(g, n, reduced, err))
        return false;
    for (int i = 0; i < x->shape.rank; i++) {
        if (!reduced[i] || keep)
            s.dims[s.rank++] = reduced[i] ? 1 : x->shape.dims[i];
    }
    put_shape(g, n, &s);
    struct onnx_value *out = onnx_out(g, n, 0);
    if (out && x->data && n->row->eval && onnx_elements(&s) == 1) { /* ReduceProd of a shape */
        double *v = ARENA_NEW(g->arena, double);
        int64_t count = onnx_elements(&x->shape);
        *v = count ? x->data[0] : 0;
        for (int64_t i = 1; i < count; i++)
            *v = n->row->eval(*v, x->data[i]);
        out->data = v;
    }
    return true;
}
