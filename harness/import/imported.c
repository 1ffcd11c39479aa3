/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/import/imported.h"

#include "harness/base/file.h"
#include "harness/base/map.h"
#include "harness/import/onnx_fusion.h"
#include "harness/import/onnx_operators.h"
#include "harness/import/onnx_patterns.h"

#include <stdlib.h>
#include <string.h>

struct importing {
    struct arena *a;
    const struct onnx_graph *g;
    enum onnx_layout layout;
    struct map seen; /* hash of a task, to the index of its kernel */
    VEC(struct imported_kernel) kernels;
    VEC(struct imported_left) left;
    double macs, macs_kept, flops, flops_kept;
};

const char *imported_words(struct arena *a, const char *spec)
{
    struct text t = {0};
    text_add(&t, "op: ");
    for (const char *p = spec; *p; p++) {
        size_t length = strcspn(p + 1, " ");
        if (*p == ' ')
            text_add(&t, ", ");
        else if (*p == '=' && memchr(p, ',', length))
            text_printf(&t, ": \"%.*s\"", (int)length, p + 1), p += length;
        else if (*p == '=')
            text_add(&t, ": ");
        else
            text_char(&t, *p);
    }
    return text_keep(&t, a);
}

static void put_tail(struct onnx_kernel *k, const struct onnx_tail *t)
{
    text_printf(&k->spec, "%s%s%s", t->bias ? " bias=1" : "", t->add ? " add=1" : "",
                t->residual_first ? " order=residual" : "");
    if (t->act)
        text_printf(&k->spec, str_eq(t->act, "relu") || str_eq(t->act, "clip") ? " %s=1" : " act=%s", t->act);
}

static void leave(struct importing *im, const struct onnx_node *n, const char *why, double flops)
{
    for (int i = 0; i < im->left.n; i++) {
        struct imported_left *l = &im->left.at[i];
        if (!str_eq(l->op, n->op) || (why != l->why && !(why && l->why && str_eq(why, l->why))))
            continue;
        l->nodes++;
        l->flops += flops;
        return;
    }
    vec_push(&im->left, (struct imported_left){.op = n->op, .why = why, .nodes = 1, .flops = flops});
}

static double node_flops(const struct onnx_graph *g, const struct onnx_node *n)
{
    if (!n->row || !onnx_out(g, n, 0))
        return 0;
    if (n->row->product)
        return 2 * kernel_multiply_adds(g, n);
    const struct onnx_value *in = onnx_in(g, n, 0);
    int64_t out = onnx_elements(&onnx_out(g, n, 0)->shape), elements = in ? onnx_elements(&in->shape) : 0;
    return n->row->flops * (double)(n->row->infer == infer_elements || elements < out ? out : elements);
}

static void add_kernel(struct importing *im, const struct onnx_kernel *k, const struct task *t, double macs)
{
    uint64_t at;
    im->flops_kept += t->flops;
    im->flops += t->flops;
    im->macs_kept += macs;
    if (map_get(&im->seen, t->hash, &at)) {
        im->kernels.at[at].count++;
        return;
    }
    map_put(&im->seen, t->hash, (uint64_t)im->kernels.n);
    vec_push(&im->kernels, (struct imported_kernel){.task = t,
                                                    .words = imported_words(im->a, text_str(&k->spec)),
                                                    .count = 1,
                                                    .macs = macs,
                                                    .params = k->params});
}

static void import_node(struct importing *im, const struct onnx_node *n)
{
    const struct onnx_graph *g = im->g;
    struct onnx_kernel k = {.layout = im->layout};
    struct task *t = NULL;
    struct err err = {0};
    double macs = n->row && n->row->product ? kernel_multiply_adds(g, n) : 0;
    bool made = n->row && n->row->kernel && n->row->kernel(g, n, &k);
    if (made && n->row->product) {
        put_tail(&k, &n->tail);
        const struct onnx_shape *out = &onnx_out(g, n, 0)->shape;
        int axis = str_starts(n->op, "Conv") ? 1 : out->rank - 1;
        k.params += n->tail.bias ? (axis < 0 ? 1 : (double)out->dims[axis]) : 0;
    }
    im->macs += macs;
    if (made && task_parse(im->a, text_str(&k.spec), &t, &err)) {
        add_kernel(im, &k, t, macs);
    } else {
        const char *why = !n->row ? "unknown, its FLOPs are not counted" : made ? arena_str(im->a, err.text) : k.why;
        leave(im, n, why, node_flops(g, n));
        im->flops += node_flops(g, n);
    }
    text_free(&k.spec);
}

/* Trained parameters that live nodes read, once for each node: not the running mean and variance of a batch
 * normalisation, no single numbers. */
static double parameters(const struct onnx_graph *g)
{
    double sum = 0;
    for (int i = 0; i < g->nnodes; i++) {
        const struct onnx_node *n = &g->nodes[i];
        int last = str_eq(n->op, "BatchNormalization") ? 3 : n->nin;
        for (int k = 0; n->live && k < last; k++) {
            const struct onnx_value *v = onnx_in(g, n, k);
            bool is_float = v && (v->type == ONNX_FLOAT || v->type == ONNX_FLOAT16 || v->type == ONNX_DOUBLE ||
                                  v->type == ONNX_BFLOAT16);
            sum += is_float && v->initializer && onnx_elements(&v->shape) > 1 ? (double)onnx_elements(&v->shape) : 0;
        }
    }
    return sum;
}

static int by_flops(const void *x, const void *y)
{
    const struct imported_left *a = x, *b = y;
    return a->flops != b->flops ? (a->flops < b->flops) - (a->flops > b->flops) : strcmp(a->op, b->op);
}

static void add_up(struct importing *im, struct imported *out)
{
    *out = (struct imported){.macs_share = im->macs > 0 ? im->macs_kept / im->macs : 1,
                             .flops_share = im->flops > 0 ? im->flops_kept / im->flops : 1};
    vec_keep(im->a, &im->kernels, &out->kernels, &out->nkernels);
    vec_keep(im->a, &im->left, &out->left, &out->nleft);
    for (int i = 0; i < out->nkernels; i++) {
        const struct imported_kernel *k = &out->kernels[i];
        out->calls += k->count;
        out->macs += k->count * k->macs;
        out->params += k->count * k->task->params;
    }
    for (int i = 0; i < out->nleft; i++)
        out->left[i].share = im->flops > 0 ? out->left[i].flops / im->flops : 0;
    qsort(out->left, (size_t)out->nleft, sizeof *out->left, by_flops);
    double left = parameters(im->g) - out->params;
    out->params_left = left > 0 ? left : 0;
}

bool import_onnx(struct arena *a, const char *file, int64_t batch, enum onnx_layout layout, struct onnx_graph **graph,
                 struct imported *out, struct err *err)
{
    if (!onnx_read(a, file, batch, graph, err) || !onnx_infer(*graph, err))
        return false;
    onnx_rewrite(*graph);
    onnx_fuse(*graph);
    struct importing im = {.a = a, .g = *graph, .layout = layout};
    for (int i = 0; i < im.g->nnodes; i++)
        if (im.g->nodes[i].live && !im.g->nodes[i].fused)
            import_node(&im, &im.g->nodes[i]);
    add_up(&im, out);
    map_free(&im.seen);
    return out->nkernels > 0 || err_set(err, "%s: no kernel is in it: %s", file,
                                        out->nleft && out->left[0].why ? out->left[0].why : "nothing is reduced");
}

/* ---- the file ---- */

const char IMPORTED_HEAD[] = "# Made by `raingauge import`";

/* Text of a model, as it can stand in a comment or in double quotes. */
static const char *plain(struct arena *a, const char *s)
{
    char *copy = arena_str(a, s);
    for (char *p = copy; *p; p++)
        if ((unsigned char)*p < 0x20 || (unsigned char)*p > 0x7e || *p == '"' || *p == '\\')
            *p = '_';
    return copy;
}

static void put_left(const struct imported *n, struct arena *a, struct text *out)
{
    if (n->nleft)
        text_add(out, "# Left out (nodes, share of the FLOPs):\n");
    for (int i = 0; i < n->nleft; i++) {
        const struct imported_left *l = &n->left[i];
        text_printf(out, "#   %s (%d, %.2g %%)%s%s\n", plain(a, l->op), l->nodes, 100 * l->share, l->why ? ": " : "",
                    l->why ? plain(a, l->why) : "");
    }
}

void imported_yaml(const struct imported *n, const struct onnx_graph *g, const char *name, struct text *out)
{
    struct arena *a = g->arena;
    text_printf(out,
                "# SPDX-License-Identifier: Apache-2.0\n%s from an ONNX file. Its kernels with a reduction, in the "
                "network's order;\n# they hold %.4g %% of its multiply-adds and %.4g %% of its FLOPs.\n",
                IMPORTED_HEAD, 100 * n->macs_share, 100 * n->flops_share);
    put_left(n, a, out);
    text_printf(out, "name: %s\ntitle: \"%s\"\nsource: \"%s, opset %lld, %s\"\n", name, plain(a, name),
                plain(a, file_name(g->file)), (long long)g->opset, plain(a, g->producer));
    const struct onnx_shape *in = g->first_input < 0 ? NULL : &g->values[g->first_input].shape;
    for (int i = 0; in && i < in->rank; i++)
        text_printf(out, "%s%lld%s", i ? ", " : "input: [", (long long)in->dims[i], i == in->rank - 1 ? "]\n" : "");
    text_printf(out, "kernels: %d\ncalls: %d\nmacs: %.0f # of the shapes in the model\nparams: %.0f # in kernels\n",
                n->nkernels, n->calls, n->macs, n->params);
    if (n->params_left > 0)
        text_printf(out, "params_left: %.0f # in no kernel, or folded into a weight\n", n->params_left);
    text_add(out, "list:\n");
    for (int i = 0; i < n->nkernels; i++) {
        const struct imported_kernel *k = &n->kernels[i];
        text_printf(out, "  - {count: %d, %s", k->count, k->words);
        if (k->macs > 0)
            text_printf(out, ", macs: %.0f", k->macs);
        if (k->params > 0)
            text_printf(out, ", params: %.0f", k->params);
        text_add(out, "}\n");
    }
}
