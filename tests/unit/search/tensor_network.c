/* SPDX-License-Identifier: Apache-2.0 */
/* tensor_network: every convolution and the dense layer of ResNet-50 have programs for tensor cores when their inputs
 * are float16: one that a CUDA device can hold is drawn of each, and its CUDA multiplies fragments. What padding costs
 * is counted from the extents of the products. Blocks that do not fit are refused, and not emitted. */
#include "harness/experiment/network.h"
#include "harness/program/lower/bound.h"
#include "harness/program/lower/gpu_verify.h"
#include "harness/program/lower/lower.h"
#include "harness/program/schedule/reindex.h"
#include "harness/program/schedule/schedule.h"
#include "search/trace/tensor_sketch.h"
#include "search/trace/trace_space.h"
#include "targets/gpu/gpu_emit.h"
#include "tests/lib/tap.h"

#include <string.h>

enum { DRAWS = 2000 };

struct tally {
    int kernels, calls, covered, padded, emitted;
    double asked, done; /* multiply-adds of all calls: of the network, of the products with their padding */
};

static int64_t rounded(int64_t n)
{
    return (n + TENSOR_TILE - 1) / TENSOR_TILE * TENSOR_TILE;
}

static void add_product(const struct task *t, int calls, struct tally *tally)
{
    struct reindex x;
    struct err err = {0};
    double asked = calls, done = calls;
    int i = 0;
    while (t->dag->ops[i]->nreduce == 0)
        i++;
    const struct op *op = t->dag->ops[i];
    if (!reindex_find(op, &x, &err))
        bug("%s", err.text);
    for (int role = ROLE_ROW; role < ROLE_COUNT; role++) {
        int64_t n = reindex_length(op, &x, role);
        asked *= (double)n;
        done *= (double)rounded(n);
    }
    tally->asked += asked;
    tally->done += done;
    tally->padded += done > asked;
}

/* A program of the design space that fits a device; NULL: none was drawn. */
static struct state *draw_fitting(const struct trace_space *ts, struct arena *a, struct rng *r, struct nest **n)
{
    for (int i = 0; i < DRAWS; i++, arena_reset(a)) {
        struct err err = {0};
        struct trace one = trace_fresh(ts, a, 0);
        struct state *s = trace_replay(ts, a, &one, r, NULL, NULL);
        if (s && lower(a, s, LAYOUT_NONE, n, &err) && gpu_verify(*n, &ts->space.limits, &err))
            return s;
    }
    return NULL;
}

/* Whether CUDA for the nest multiplies fragments. */
static bool emits(struct arena *a, const struct nest *n, struct err *err)
{
    struct gpu_program program;
    struct text text = {0};
    bool fine = gpu_emit(a, n, &dialect_cuda, &program, &text, err) && strstr(text_str(&text), "  fragment_multiply_");
    text_free(&text);
    return fine;
}

static void check_kernel(const char *spec, int calls, struct tally *tally)
{
    struct arena *a = arena_open("kernel"), *work = arena_open("work");
    struct limits limits = limits_cuda();
    struct trace_options o = trace_defaults();
    struct trace_space ts;
    struct task *t;
    struct rng r;
    struct err err = {0};
    rng_seed(&r, 5);
    if (!task_parse(a, arena_printf(a, "%s dtype=float16", spec), &t, &err) ||
        !trace_space_open(&ts, a, t, &limits, &o, &err))
        bug("%s", err.text);
    struct nest *n;
    bool covered = ts.layouts[0].tensor;
    bool emitted = covered && draw_fitting(&ts, work, &r, &n) && emits(work, n, &err);
    tally->kernels++;
    tally->calls += calls;
    tally->covered += covered;
    tally->emitted += emitted;
    if (covered)
        add_product(t, calls, tally);
    if (!emitted)
        diag("%s: %s", spec, !covered ? "no design space" : err.text[0] ? err.text : "no program fits");
    arena_close(work);
    arena_close(a);
}

/* Steps of a product of 32 x 32 applied to one of 24 x 24, as a changed record might have them. */
static void check_misfits(void)
{
    enum { PROGRAMS = 20 };
    struct arena *a = arena_open("task"), *work = arena_open("work");
    struct limits limits = limits_cuda();
    struct trace_options o = trace_defaults();
    struct trace_space ts;
    struct task *t, *other;
    struct rng r;
    struct err err = {0};
    int refused = 0;
    rng_seed(&r, 6);
    if (!task_parse(a, "matmul n=32 m=32 k=32 dtype=float16", &t, &err) ||
        !task_parse(a, "matmul n=24 m=24 k=24 dtype=float16", &other, &err) ||
        !trace_space_open(&ts, a, t, &limits, &o, &err))
        bug("%s", err.text);
    for (int i = 0; i < PROGRAMS; i++, arena_reset(work)) {
        struct nest *n;
        struct state *s = draw_fitting(&ts, work, &r, &n), *misfit;
        err.text[0] = 0;
        if (!s || !state_replay(work, other, s->steps, s->nsteps, &misfit, &err) || !bound_infer(misfit, &err) ||
            !lower(work, misfit, LAYOUT_NONE, &n, &err))
            bug("%s", err.text);
        refused += !emits(work, n, &err) && strstr(err.text, "not of 16x16x16");
    }
    is_int(refused, PROGRAMS, "blocks that are cut are refused: %s", err.text);
    arena_close(work);
    arena_close(a);
}

int main(void)
{
    struct arena *a = arena_open("network");
    struct network *n;
    struct tally t = {0};
    struct err err = {0};
    if (!network_load(a, "experiments", "pruner_resnet50", &n, &err))
        bug("%s", err.text);
    for (int i = 0; i < n->nkernels; i++) {
        const char *spec = n->tasks[i].task->spec;
        if (str_starts(spec, "conv2d ") || str_starts(spec, "dense "))
            check_kernel(spec, (int)n->tasks[i].weight, &t);
    }
    is_int(t.kernels, 25, "ResNet-50 has 24 convolutions and a dense layer, %d calls", t.calls);
    is_int(t.covered, t.kernels, "all have a design space for tensor cores");
    is_int(t.emitted, t.kernels, "of each, a program that a device can hold is drawn and emitted");
    is_int(t.padded, 13, "kernels have an extent that is padded");
    is_int((long)(1000 * t.done / t.asked + 0.5), 1085,
           "thousandths of what is asked for are multiplied, over all calls");
    check_misfits();
    arena_close(a);
    return done_testing();
}
