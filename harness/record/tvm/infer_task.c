/* SPDX-License-Identifier: Apache-2.0 */
/* infer_task: task lines from shapes. Each operator looks whether the ranks could be its own and writes lines for all
 * that the shapes leave open: strides and padding that give this output size, windows of poolings, what follows a
 * product. Likely ones first: equal padding on both sides, the least padding, equal height and width, a relu. */
#include "harness/record/tvm/infer_task.h"

#include "harness/base/text.h"

#include <inttypes.h>

enum { WINDOWS = 24, MOVES = 32 };

struct infer_task {
    struct arena *a;
    const struct workload *w;
    const struct workload_shape *out; /* of the output */
    int ninputs;
    const char **specs;
    int n;
};

static const struct workload_shape *input(const struct infer_task *g, int i)
{
    return &g->w->shapes[i];
}

static void add(struct infer_task *g, const char *spec)
{
    if (g->n < INFER_TASK_MOST)
        g->specs[g->n++] = spec;
}

/* Windows ------------------------------------------------------------------------------------------------------- */

struct slide { /* along one dimension */
    int64_t stride, before, after;
};

static int64_t slide_cost(const struct slide *s)
{
    return (s->before != s->after) * 1000 + s->before + s->after;
}

/* All ways in which a window of k over in gives out, the likely first. */
static int slides(int64_t in, int64_t k, int64_t out, struct slide *at)
{
    int n = 0;
    for (int64_t stride = 1; stride <= 8; stride++) {
        int64_t least = (out - 1) * stride + k - in;
        for (int64_t pad = least < 0 ? 0 : least; pad < least + stride && pad <= 2 * (k - 1) && n < WINDOWS; pad++) {
            struct slide s = {stride, pad / 2, pad - pad / 2};
            int i = n++;
            for (; i > 0 && slide_cost(&at[i - 1]) > slide_cost(&s); i--)
                at[i] = at[i - 1];
            at[i] = s;
        }
    }
    return n;
}

struct plane { /* sizes in height and width */
    int64_t h, w;
};

static const char *padding(struct arena *a, const struct slide *s)
{
    return s->before == s->after ? arena_printf(a, "%" PRId64, s->before)
                                 : arena_printf(a, "%" PRId64 ",%" PRId64, s->before, s->after);
}

/* "sh=1 sw=1 ph=0 pw=0" for every way, in moves. Equal ones of both dimensions come first. */
static int moves(struct arena *a, struct plane in, struct plane k, struct plane out, const char **at)
{
    struct slide h[WINDOWS], w[WINDOWS];
    int nh = slides(in.h, k.h, out.h, h), nw = slides(in.w, k.w, out.w, w), n = 0;
    for (int same = 1; same >= 0; same--)
        for (int i = 0; i < nh; i++)
            for (int j = 0; j < nw; j++) {
                bool equal = h[i].stride == w[j].stride && h[i].before == w[j].before && h[i].after == w[j].after;
                if (equal == same && n < MOVES)
                    at[n++] = arena_printf(a, "sh=%" PRId64 " sw=%" PRId64 " ph=%s pw=%s", h[i].stride, w[j].stride,
                                           padding(a, &h[i]), padding(a, &w[j]));
            }
    return n;
}

/* Products ------------------------------------------------------------------------------------------------------ */

/* Everything that may follow a product with this many more arguments. */
static void add_epilogues(struct infer_task *g, const char *head, int more)
{
    static const char *const ENDS[] = {" relu=1", "", " clip=1"}, *const ORDERS[] = {"", " order=residual"};
    for (int plan = 0; plan < 8; plan++) {
        int bias = plan & 1, residual = plan >> 1 & 1, scale = plan >> 2;
        if (bias + residual + 2 * scale != more)
            continue;
        for (int order = 0; order <= residual; order++)
            for (int end = 0; end < 3; end++)
                add(g, arena_printf(g->a, "%s%s%s%s%s%s", head, bias ? " bias=1" : "", scale ? " scale=1" : "",
                                    residual ? " add=1" : "", ORDERS[order], ENDS[end]));
    }
}

static void add_moves(struct infer_task *g, const char *head, struct plane in, struct plane k, struct plane out)
{
    const char *at[MOVES];
    int n = moves(g->a, in, k, out, at);
    for (int i = 0; i < n; i++)
        add_epilogues(g, arena_printf(g->a, "%s %s", head, at[i]), g->ninputs - 2);
}

static void conv_blocked(struct infer_task *g, const int64_t *x, const int64_t *f, const int64_t *o)
{
    int64_t ci = x[1] * x[4], in_group = f[1] * f[4];
    struct plane in = {x[2], x[3]}, k = {f[2], f[3]}, out = {o[2], o[3]};
    const char *sizes = arena_printf(g->a,
                                     "n=%" PRId64 " ci=%" PRId64 " hi=%" PRId64 " wi=%" PRId64 " co=%" PRId64
                                     " kh=%" PRId64 " kw=%" PRId64 " cib=%" PRId64 " cob=%" PRId64,
                                     x[0], ci, x[2], x[3], o[1] * o[4], f[2], f[3], x[4], o[4]);
    if (f[4] == x[4] && in_group > 0 && ci % in_group == 0)
        add_moves(g, arena_printf(g->a, "conv2d %s groups=%" PRId64, sizes, ci / in_group), in, k, out);
    if (in_group == 1)
        add_moves(g, arena_printf(g->a, "depthwise_conv2d %s", sizes), in, k, out);
}

static void conv_plain(struct infer_task *g, const int64_t *x, const int64_t *f, const int64_t *o, bool nhwc)
{
    int64_t ci = nhwc ? x[3] : x[1], co = nhwc ? o[3] : o[1], in_group = nhwc ? f[2] : f[1], wide = nhwc ? f[3] : f[0];
    struct plane in = {x[nhwc ? 1 : 2], x[nhwc ? 2 : 3]}, k = {f[nhwc ? 0 : 2], f[nhwc ? 1 : 3]},
                 out = {o[nhwc ? 1 : 2], o[nhwc ? 2 : 3]};
    const char *sizes = arena_printf(g->a,
                                     "n=%" PRId64 " ci=%" PRId64 " hi=%" PRId64 " wi=%" PRId64 " co=%" PRId64
                                     " kh=%" PRId64 " kw=%" PRId64 " layout=%s",
                                     x[0], ci, in.h, in.w, co, k.h, k.w, nhwc ? "nhwc" : "nchw");
    if (wide == co && in_group > 0 && ci % in_group == 0)
        add_moves(g, arena_printf(g->a, "conv2d %s groups=%" PRId64, sizes, ci / in_group), in, k, out);
    if (nhwc ? in_group == ci : wide == ci)
        add_moves(g, arena_printf(g->a, "depthwise_conv2d %s", sizes), in, k, out);
}

/* NHWC, 3x3, filter alpha x alpha x co x ci. */
static void winograd(struct infer_task *g, const int64_t *x, const int64_t *f, const int64_t *o)
{
    struct slide h[WINDOWS], w[WINDOWS];
    int nh = slides(x[1], 3, o[1], h), nw = slides(x[2], 3, o[2], w);
    if (f[0] != f[1] || (f[0] != 4 && f[0] != 6) || f[2] != o[3] || f[3] != x[3] || !nh || !nw || h[0].stride != 1)
        return;
    add_epilogues(g,
                  arena_printf(g->a,
                               "winograd n=%" PRId64 " ci=%" PRId64 " hi=%" PRId64 " wi=%" PRId64 " co=%" PRId64
                               " ph=%s pw=%s tile=%" PRId64,
                               x[0], x[3], x[1], x[2], o[3], padding(g->a, &h[0]), padding(g->a, &w[0]), f[0] - 2),
                  g->ninputs - 2);
}

static void products_of(struct infer_task *g, const struct workload_shape *data, const struct workload_shape *filter)
{
    const int64_t *x = data->at, *f = filter->at, *o = g->out->at;
    if (g->out->n == 5 && data->n == 5 && filter->n == 6)
        conv_blocked(g, x, f, o);
    if (g->out->n == 4 && data->n == 4 && filter->n == 4) {
        conv_plain(g, x, f, o, false);
        conv_plain(g, x, f, o, true);
        winograd(g, x, f, o);
    }
    if (g->out->n == 2 && data->n == 2 && filter->n == 2) {
        add_epilogues(g, arena_printf(g->a, "dense n=%" PRId64 " ci=%" PRId64 " co=%" PRId64, x[0], x[1], o[1]),
                      g->ninputs - 2);
        const char *matmul = arena_printf(g->a, "matmul n=%" PRId64 " m=%" PRId64 " k=%" PRId64, x[0], f[1], x[1]);
        for (int relu = 0; relu < 2; relu++)
            add(g, arena_printf(g->a, "%s relu=%d chain=%d", matmul, relu, g->ninputs == 3));
    }
    if (g->out->n == 3 && data->n == 3 && filter->n == 3)
        add(g, arena_printf(g->a, "batch_matmul b=%" PRId64 " n=%" PRId64 " m=%" PRId64 " k=%" PRId64, x[0], x[1], o[2],
                            x[2]));
}

/* A residual that is read first stands before the data or between data and filter. */
static void products(struct infer_task *g)
{
    int most = g->ninputs < 3 ? g->ninputs : 3;
    for (int data = 0; data < most; data++)
        for (int filter = data + 1; filter < most; filter++)
            products_of(g, input(g, data), input(g, filter));
}

/* One argument ---------------------------------------------------------------------------------------------------- */

static void pools_of(struct infer_task *g, const char *sizes, struct plane in, struct plane out)
{
    static const int64_t SIZES[] = {3, 2, 1, 5, 7, 4, 6, 8};
    for (size_t i = 0; i < sizeof SIZES / sizeof *SIZES; i++) {
        const char *at[MOVES];
        int n = moves(g->a, in, (struct plane){SIZES[i], SIZES[i]}, out, at);
        for (int k = 0; k < n && k < 8; k++) {
            const char *line =
                arena_printf(g->a, "pool2d %s kh=%" PRId64 " kw=%" PRId64 " %s", sizes, SIZES[i], SIZES[i], at[k]);
            add(g, arena_printf(g->a, "%s pool=max", line));
            add(g, arena_printf(g->a, "%s pool=avg", line));
            add(g, arena_printf(g->a, "%s pool=avg include_pad=1", line));
        }
    }
    for (int max = 0; max < 2; max++)
        add(g, arena_printf(g->a, "adaptive_pool2d %s ho=%" PRId64 " wo=%" PRId64 " pool=%s", sizes, out.h, out.w,
                            max ? "max" : "avg"));
}

static void pools(struct infer_task *g)
{
    const struct workload_shape *in = input(g, 0);
    const int64_t *x = in->at, *o = g->out->at;
    for (int nhwc = 0; nhwc < 2; nhwc++) {
        if ((in->n != 4 && in->n != 5) || (nhwc && in->n == 5))
            continue;
        struct plane from = {x[nhwc ? 1 : 2], x[nhwc ? 2 : 3]};
        int64_t c = in->n == 5 ? x[1] * x[4] : x[nhwc ? 3 : 1];
        const char *block = in->n == 5 ? arena_printf(g->a, "cb=%" PRId64, x[4]) : nhwc ? "layout=nhwc" : "layout=nchw";
        const char *sizes = arena_printf(g->a, "n=%" PRId64 " c=%" PRId64 " hi=%" PRId64 " wi=%" PRId64 " %s", x[0], c,
                                         from.h, from.w, block);
        for (int max = 0; max < 2; max++)
            add(g, arena_printf(g->a, "global_pool2d %s pool=%s", sizes, max ? "max" : "avg"));
        add(g, arena_printf(g->a, "mean %s", sizes));
        if (g->out->n == in->n)
            pools_of(g, sizes, from, (struct plane){o[nhwc ? 1 : 2], o[nhwc ? 2 : 3]});
    }
}

static void row_functions(struct infer_task *g)
{
    static const char *const BY[] = {"relu", "exp", "log", "sqrt", "tanh", "erf", "sigmoid", "gelu"};
    static const char *const TAKEN[] = {"sum", "max", "min"};
    const struct workload_shape *in = input(g, 0);
    const int64_t *x = in->at;
    if (in->n < 2 || in->n > 4)
        return;
    struct text t = {0};
    text_printf(&t, "softmax n=%" PRId64, x[0]);
    for (int i = 1; i < in->n - 1; i++)
        text_printf(&t, " %c=%" PRId64, "hw"[i - 1], x[i]);
    text_printf(&t, " c=%" PRId64, x[in->n - 1]);
    add(g, arena_str(g->a, text_str(&t)));
    for (size_t i = 0; i < sizeof BY / sizeof *BY; i++) {
        text_clear(&t);
        text_printf(&t, "map n=%" PRId64 " c=%" PRId64, x[0], x[1]);
        for (int d = 2; d < in->n; d++)
            text_printf(&t, " %c=%" PRId64, "hw"[d - 2], x[d]);
        add(g, arena_printf(g->a, "%s by=%s", text_str(&t), BY[i]));
    }
    for (size_t i = 0; in->n == 2 && i < 3; i++)
        add(g, arena_printf(g->a, "reduce n=%" PRId64 " m=%" PRId64 " by=%s", x[0], x[1], TAKEN[i]));
    text_free(&t);
}

int infer_task_specs(struct arena *a, const struct workload *w, const char **out)
{
    struct infer_task g = {.a = a, .w = w, .ninputs = w->nshapes - 1, .specs = out};
    if (w->nshapes < 2)
        return 0;
    g.out = &w->shapes[w->nshapes - 1];
    for (int i = 0; i < w->nnumbers; i++)
        if (w->numbers[i] > 1 << 24) /* no operator takes more */
            return 0;
    if (g.ninputs == 1) {
        pools(&g);
        row_functions(&g);
    } else {
        products(&g);
    }
    return g.n;
}
