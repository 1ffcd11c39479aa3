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
#include "search/trace/trace_space.h"
#include "targets/gpu/gpu_emit.h"
#include "tests/lib/fixture.h"
#include "tests/lib/share_test.h"
#include "tests/lib/tap.h"

#include <string.h>

enum { DRAWS = 2000 };

struct tally {
    int kernels, calls, covered, padded, emitted;
    double asked, done; /* multiply-adds of all calls: of the network, of the products with their padding */
};

static double product_of_axes(const struct op *op)
{
    double n = 1;
    for (int i = 0; i < op->nspatial + op->nreduce; i++)
        n *= (double)op->axes[i].extent;
    return n;
}

static void add_product(const struct task *t, int calls, struct tally *tally)
{
    const struct dag *d;
    struct err err = {0};
    int i = 0;
    while (t->dag->ops[i]->nreduce == 0)
        i++;
    fixture_must(rewrite_reindex(t->dag, i, TENSOR_TILE, &d, &err), &err);
    double asked = product_of_axes(t->dag->ops[i]), done = product_of_axes(d->ops[i + 2]);
    tally->asked += calls * asked;
    tally->done += calls * done;
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
    const struct limits limits = limits_cuda();
    const struct task *t = fixture_task(arena, arena_printf(arena, "%s dtype=float16", spec));
    struct trace_space ts;
    struct rng r;
    struct err err = {0};
    rng_seed(&r, 5);
    share_test_open(&ts, arena, t, &limits);
    struct nest *n;
    bool covered = ts.layouts[0].tensor;
    bool emitted = covered && draw_fitting(&ts, scratch, &r, &n) && emits(scratch, n, &err);
    tally->kernels++;
    tally->calls += calls;
    tally->covered += covered;
    tally->emitted += emitted;
    if (covered)
        add_product(t, calls, tally);
    if (!emitted)
        diag("%s: %s", spec, !covered ? "no design space" : err.text[0] ? err.text : "no program fits");
}

/* Steps of a product of 32 x 32 applied to one of 24 x 24, as a changed record might have them. */
static void check_misfits(void)
{
    enum { PROGRAMS = 20 };
    const struct limits limits = limits_cuda();
    const struct task *other = fixture_task(arena, "matmul n=24 m=24 k=24 dtype=float16");
    struct trace_space ts;
    struct rng r;
    struct err err = {0};
    int refused = 0;
    rng_seed(&r, 6);
    share_test_open(&ts, arena, fixture_task(arena, "matmul n=32 m=32 k=32 dtype=float16"), &limits);
    for (int i = 0; i < PROGRAMS; i++, arena_reset(scratch)) {
        struct nest *n;
        struct state *s = draw_fitting(&ts, scratch, &r, &n), *misfit;
        err.text[0] = 0;
        fixture_must(s && state_replay(scratch, other, s->steps, s->nsteps, &misfit, &err) &&
                         bound_infer(misfit, &err) && lower(scratch, misfit, LAYOUT_NONE, &n, &err),
                     &err);
        refused += !emits(scratch, n, &err) && strstr(err.text, "not of 16x16x16");
    }
    is_int(refused, PROGRAMS, "blocks that are cut are refused: %s", err.text);
}

int main(void)
{
    struct network *n;
    struct tally t = {0};
    struct err err = {0};
    fixture_must(network_load(arena, "experiments", "pruner_resnet50", &n, &err), &err);
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
    return done_testing();
}
