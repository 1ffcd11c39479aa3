/* SPDX-License-Identifier: Apache-2.0 */
/* tensor_network: every convolution and the dense layer of ResNet-50 have programs for tensor cores when their inputs
 * are float16: one that a CUDA device can hold is drawn of each, with all fragments whole. What padding costs is
 * counted, per network, from the extents of the products. */
#include "harness/experiment/network.h"
#include "harness/program/lower/gpu_verify.h"
#include "harness/program/lower/lower.h"
#include "harness/program/schedule/reindex.h"
#include "search/trace/tensor_sketch.h"
#include "search/trace/trace_space.h"
#include "tests/lib/tap.h"

#include <string.h>

enum { DRAWS = 2000 };

struct tally {
    int kernels, calls, covered, padded, drawn;
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

/* Whether a program of the design space fits a device. */
static bool draws(const struct trace_space *ts, struct arena *a, struct rng *r, const struct limits *limits)
{
    bool found = false;
    for (int i = 0; i < DRAWS && !found; i++, arena_reset(a)) {
        struct err err = {0};
        struct nest *n;
        struct trace one = trace_fresh(ts, a, 0);
        struct state *s = trace_replay(ts, a, &one, r, NULL, NULL);
        found = s && lower(a, s, LAYOUT_NONE, &n, &err) && gpu_verify(n, limits, &err);
    }
    return found;
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
    bool covered = ts.layouts[0].tensor, drawn = covered && draws(&ts, work, &r, &limits);
    tally->kernels++;
    tally->calls += calls;
    tally->covered += covered;
    tally->drawn += drawn;
    if (covered)
        add_product(t, calls, tally);
    if (!drawn)
        diag("%s: %s", spec, covered ? "no program fits" : "no design space");
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
    is_int(t.drawn, t.kernels, "of each, a program that a device can hold is drawn");
    diag("%d products are padded; all multiply %.4g times what is asked for", t.padded, t.done / t.asked);
    ok(t.padded < t.kernels && t.done > t.asked && t.done < 1.2 * t.asked, "padding adds less than a fifth");
    arena_close(a);
    return done_testing();
}
