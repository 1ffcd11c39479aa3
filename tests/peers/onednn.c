/* SPDX-License-Identifier: Apache-2.0 */
/* onednn: convolutions of target cpu against oneDNN (version 2 API): outputs agree, and both times are printed. Outside
 * of `make check`: `make peers` builds build/MODE/peers/onednn and runs it on ResNet-18's shapes. Our kernel is the
 * target's unscheduled program: this is about being right, `raingauge bench --only onednn` is about speed. */
#include "harness/base/clock.h"
#include "targets/targets.h"

#include <dnnl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct conv {
    int64_t ci, hi, wi, co, k, s, p, ho, wo, cib, cob;
};
static const struct conv RESNET18[] = {
    {64, 56, 56, 64, 3, 1, 1, 56, 56, 16, 16},   {64, 56, 56, 128, 3, 2, 1, 28, 28, 16, 16},
    {64, 56, 56, 128, 1, 2, 0, 28, 28, 16, 16},  {128, 28, 28, 128, 3, 1, 1, 28, 28, 16, 16},
    {128, 28, 28, 256, 3, 2, 1, 14, 14, 16, 16}, {128, 28, 28, 256, 1, 2, 0, 14, 14, 16, 16},
    {256, 14, 14, 256, 3, 1, 1, 14, 14, 16, 16}, {256, 14, 14, 512, 3, 2, 1, 7, 7, 16, 16},
    {256, 14, 14, 512, 1, 2, 0, 7, 7, 16, 16},   {512, 7, 7, 512, 3, 1, 1, 7, 7, 16, 16},
};
enum { RESNET18_COUNT = sizeof RESNET18 / sizeof *RESNET18 };

static void need(bool fine, const char *what)
{
    if (fine)
        return;
    fprintf(stderr, "onednn: %s\n", what);
    exit(2);
}

static float *floats(int64_t n, int step)
{
    float *p = aligned_alloc(64, (size_t)(n * 4 + 127) / 64 * 64);
    for (int64_t i = 0; p && i < n; i++)
        p[i] = (float)((i * step + i / 11) % 23 - 11) / 16;
    need(p != NULL, "no memory");
    return p;
}

/* ---- oneDNN, formats of its own choice ---- */

static dnnl_memory_t memory_of(const dnnl_memory_desc_t *d, dnnl_engine_t e, void *data)
{
    dnnl_memory_t m;
    need(dnnl_memory_create(&m, d, e, data ? data : DNNL_MEMORY_ALLOCATE) == dnnl_success, "dnnl_memory_create");
    return m;
}

static dnnl_memory_desc_t desc_of(const dnnl_dims_t dims, dnnl_format_tag_t tag)
{
    dnnl_memory_desc_t d;
    need(dnnl_memory_desc_init_by_tag(&d, 4, dims, dnnl_f32, tag) == dnnl_success, "dnnl_memory_desc");
    return d;
}

static void reorder(dnnl_engine_t e, dnnl_stream_t s, dnnl_memory_t from, dnnl_memory_t to)
{
    const dnnl_memory_desc_t *a, *b;
    dnnl_primitive_desc_t pd;
    dnnl_primitive_t p;
    dnnl_memory_get_memory_desc(from, &a);
    dnnl_memory_get_memory_desc(to, &b);
    need(dnnl_reorder_primitive_desc_create(&pd, a, e, b, e, NULL) == dnnl_success, "reorder");
    need(dnnl_primitive_create(&p, pd) == dnnl_success, "reorder");
    dnnl_exec_arg_t args[] = {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, to}};
    dnnl_primitive_execute(p, s, 2, args);
    dnnl_stream_wait(s);
    dnnl_primitive_destroy(p);
    dnnl_primitive_desc_destroy(pd);
}

static dnnl_primitive_desc_t conv_desc(const struct conv *c, dnnl_engine_t e)
{
    dnnl_dims_t x = {1, c->ci, c->hi, c->wi}, w = {c->co, c->ci, c->k, c->k}, y = {1, c->co, c->ho, c->wo};
    dnnl_dims_t strides = {c->s, c->s}, pads = {c->p, c->p};
    dnnl_memory_desc_t dx = desc_of(x, dnnl_format_tag_any), dw = desc_of(w, dnnl_format_tag_any);
    dnnl_memory_desc_t dy = desc_of(y, dnnl_format_tag_any);
    dnnl_convolution_desc_t d;
    dnnl_primitive_desc_t pd;
    need(dnnl_convolution_forward_desc_init(&d, dnnl_forward_inference, dnnl_convolution_direct, &dx, &dw, NULL, &dy,
                                            strides, pads, pads) == dnnl_success,
         "convolution");
    need(dnnl_primitive_desc_create(&pd, &d, NULL, e, NULL) == dnnl_success, "convolution");
    return pd;
}

/* Plain NCHW and OIHW in, NCHW out; the seconds of one call. */
static double run_onednn(const struct conv *c, float *x, float *w, float *y)
{
    dnnl_engine_t e;
    dnnl_stream_t s;
    dnnl_primitive_t p;
    need(dnnl_engine_create(&e, dnnl_cpu, 0) == dnnl_success, "engine");
    dnnl_stream_create(&s, e, dnnl_stream_default_flags);
    dnnl_primitive_desc_t pd = conv_desc(c, e);
    need(dnnl_primitive_create(&p, pd) == dnnl_success, "primitive");
    dnnl_dims_t nx = {1, c->ci, c->hi, c->wi}, nw = {c->co, c->ci, c->k, c->k}, ny = {1, c->co, c->ho, c->wo};
    dnnl_memory_desc_t px = desc_of(nx, dnnl_nchw), pw = desc_of(nw, dnnl_oihw), py = desc_of(ny, dnnl_nchw);
    dnnl_memory_t plain[] = {memory_of(&px, e, x), memory_of(&pw, e, w), memory_of(&py, e, y)};
    dnnl_memory_t own[] = {memory_of(dnnl_primitive_desc_query_md(pd, dnnl_query_src_md, 0), e, NULL),
                           memory_of(dnnl_primitive_desc_query_md(pd, dnnl_query_weights_md, 0), e, NULL),
                           memory_of(dnnl_primitive_desc_query_md(pd, dnnl_query_dst_md, 0), e, NULL)};
    reorder(e, s, plain[0], own[0]);
    reorder(e, s, plain[1], own[1]);
    dnnl_exec_arg_t args[] = {{DNNL_ARG_SRC, own[0]}, {DNNL_ARG_WEIGHTS, own[1]}, {DNNL_ARG_DST, own[2]}};
    double best = 1e9;
    for (int i = 0; i < 50; i++) {
        double start = clock_now();
        dnnl_primitive_execute(p, s, 3, args);
        dnnl_stream_wait(s);
        best = clock_now() - start < best ? clock_now() - start : best;
    }
    reorder(e, s, own[2], plain[2]);
    for (int i = 0; i < 3; i++) {
        dnnl_memory_destroy(own[i]);
        dnnl_memory_destroy(plain[i]);
    }
    dnnl_primitive_destroy(p);
    dnnl_primitive_desc_destroy(pd);
    dnnl_stream_destroy(s);
    dnnl_engine_destroy(e);
    return best;
}

/* ---- ours ---- */

/* data[c / b][y][x][c % b] from or to data[c][y][x] */
static void block(float *plain, float *blocked, int64_t channels, int64_t pixels, int64_t b, bool forth)
{
    for (int64_t c = 0; c < channels; c++)
        for (int64_t i = 0; i < pixels; i++) {
            float *one = &plain[c * pixels + i], *two = &blocked[(c / b * pixels + i) * b + c % b];
            *(forth ? two : one) = *(forth ? one : two);
        }
}

/* filter[o / ob][i / ib][y][x][i % ib][o % ob] from filter[o][i][y][x] */
static void block_filter(const float *plain, float *blocked, const struct conv *c)
{
    int64_t area = c->k * c->k;
    for (int64_t o = 0; o < c->co; o++)
        for (int64_t i = 0; i < c->ci; i++)
            for (int64_t a = 0; a < area; a++)
                blocked[((((o / c->cob) * (c->ci / c->cib) + i / c->cib) * area + a) * c->cib + i % c->cib) * c->cob +
                        o % c->cob] = plain[(o * c->ci + i) * area + a];
}

static double run_ours(const struct target *t, void *self, const struct conv *c, const struct candidate *cand, float *x,
                       float *w, float *y)
{
    char message[SAMPLE_MESSAGE] = "";
    struct blob object = {0};
    void *kernel;
    double seconds, best = 1e9;
    void *args[] = {floats(c->ci * c->hi * c->wi, 1), floats(c->co * c->ci * c->k * c->k, 1),
                    floats(c->co * c->ho * c->wo, 1)};
    block(x, args[0], c->ci, c->hi * c->wi, c->cib, true);
    block_filter(w, args[1], c);
    need(t->reference(self, cand->task, &object, message) == OUTCOME_OK, message);
    need(t->load(self, cand, &object, &kernel, message) == OUTCOME_OK, message);
    for (int i = 0; i < 20; i++) {
        need(t->run(self, kernel, args, 1, &seconds, message) == OUTCOME_OK, message);
        best = seconds < best ? seconds : best;
    }
    t->drop(self, kernel);
    block(y, args[2], c->co, c->ho * c->wo, c->cob, false);
    free(object.bytes);
    for (int i = 0; i < 3; i++)
        free(args[i]);
    return best;
}

static bool compare(const struct target *t, const struct conv *c)
{
    struct arena *a = arena_open("peer");
    struct limits limits;
    struct err err = {0};
    void *options = arena_alloc(a, t->options_size), *self = arena_alloc(a, t->state_size);
    struct target_env env = {.options = options, .threads = 0, .layout = LAYOUT_NONE};
    struct task *task;
    int64_t out = c->co * c->ho * c->wo;
    float *x = floats(c->ci * c->hi * c->wi, 5), *w = floats(c->co * c->ci * c->k * c->k, 3);
    float *ours = floats(out, 1), *theirs = floats(out, 1);
    char *spec = arena_printf(a,
                              "conv2d ci=%lld hi=%lld wi=%lld co=%lld kh=%lld kw=%lld sh=%lld sw=%lld ph=%lld pw=%lld "
                              "cib=%lld cob=%lld",
                              (long long)c->ci, (long long)c->hi, (long long)c->wi, (long long)c->co, (long long)c->k,
                              (long long)c->k, (long long)c->s, (long long)c->s, (long long)c->p, (long long)c->p,
                              (long long)c->cib, (long long)c->cob);
    need(task_parse(a, spec, &task, &err), err.text);
    setting_defaults(t->settings, options);
    need(t->open(self, &env, &limits, &err), err.text);
    struct candidate cand = {.task = task};
    double mine = run_ours(t, self, c, &cand, x, w, ours), worst = 0;
    t->close(self); /* which takes the pinning off this thread */
    double peer = run_onednn(c, x, w, theirs);
    for (int64_t i = 0; i < out; i++) {
        double d = fabs((double)ours[i] - (double)theirs[i]);
        worst = d > worst || isnan(d) ? d : worst;
    }
    bool same = worst <= 2e-6 * (double)(c->ci * c->k * c->k);
    printf("%s %-60s worst %.2e  unscheduled %.3f ms  oneDNN %.3f ms (%.0f GFLOP/s)\n", same ? "same" : "DIFFERS",
           task->name, worst, mine * 1e3, peer * 1e3, task->flops / peer / 1e9);
    free(x);
    free(w);
    free(ours);
    free(theirs);
    arena_close(a);
    return same;
}

int main(void)
{
    const struct target *t = targets_table()[0];
    bool same = true;
    need(str_eq(t->name, "cpu"), "this binary has no target cpu");
    for (int i = 0; i < RESNET18_COUNT; i++)
        same &= compare(t, &RESNET18[i]);
    return same ? 0 : 1;
}
