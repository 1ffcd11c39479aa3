/* SPDX-License-Identifier: Apache-2.0 */
/* gpu_cuda: target cuda builds drawn and mutated programs of every operator and every GPU sketch with the real NVRTC.
 * Nothing is run, so no GPU is needed; without libnvrtc the test is skipped. Every program is built for one of the
 * architectures of the papers' machines that this NVRTC knows, in turn; the others are skipped by name.
 * RAINGAUGE_PROPERTY=n builds n programs a sketch and architecture. */
#include "harness/measure/worker.h"
#include "harness/program/lower/gpu_verify.h"
#include "search/evolution/mutate.h"
#include "search/sketch/draw.h"
#include "targets/cuda/nvrtc.h"
#include "tests/lib/fixture.h"
#include "tests/lib/random_schedule.h"
#include "tests/lib/share_test.h"
#include "tests/lib/tap.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DRAWS = 200, TRIES = 8 };
/* Titan V, A100, RTX 3080, Orin, H100; and the oldest of CUDA 13. */
static const int ARCHITECTURES[] = {70, 75, 80, 86, 87, 90};
enum { NARCHITECTURES = sizeof ARCHITECTURES / sizeof *ARCHITECTURES };
static const char *const SPECS[] = {
    "matmul n=128 m=128 k=64",
    "conv2d ci=32 hi=14 wi=14 co=32 kh=3 kw=3 ph=1 pw=1 layout=nhwc bias=1 relu=1",
    "conv2d ci=32 hi=14 wi=14 co=32 kh=3 kw=3 sh=2 sw=2 ph=1 pw=1 layout=nchw",
    "depthwise_conv2d ci=32 hi=14 wi=14 kh=3 kw=3 ph=1 pw=1 layout=nhwc bias=1 clip=1",
    "winograd ci=32 hi=12 wi=12 co=32 ph=1 pw=1 tile=4 bias=1 relu=1",
    "im2col n=2 ci=16 hi=16 wi=16 co=32 kh=3 kw=3 sh=2 sw=2",
    "dense n=16 ci=128 co=64 bias=1 relu=1",
    "batch_matmul b=4 n=32 m=32 k=64",
    "batch_matmul b=4 n=32 m=32 k=64 dtype=float16",
    "conv2d ci=32 hi=14 wi=14 co=32 kh=3 kw=3 ph=1 pw=1 layout=nhwc bias=1 relu=1 dtype=float16",
    "pool2d c=32 hi=14 wi=14 kh=3 kw=3 sh=2 sw=2 ph=1 pw=1 pool=max layout=nchw",
    "global_pool2d c=64 hi=7 wi=7 cb=16",
    "conv2d ci=32 hi=14 wi=14 co=32 kh=1 kw=1 cib=16 cob=16 bias=1 add=1 relu=1",
    "adaptive_pool2d c=32 hi=14 wi=14 ho=7 wo=7 pool=avg layout=nchw",
    "mean n=16 c=32 hi=7 wi=7",
    "softmax n=64 c=100",
    "reduce n=64 m=1000 by=sum",
    "layer_norm n=32 c=128",
    "map n=64 c=128 by=tanh",
    "dense n=16 ci=128 co=64 bias=1 act=gelu",
    "dense n=16 ci=128 co=64 act=gelu_tanh",
    "conv2d ci=32 hi=14 wi=14 co=32 kh=3 kw=3 ph=1 pw=1 layout=nhwc bias=1 act=silu",
    "conv2d_transpose ci=16 hi=8 wi=8 co=16 kh=4 kw=4 sh=2 sw=2 ph=1 pw=1 form=cuda scale=1 relu=1",
    "conv3d ci=8 di=6 hi=8 wi=8 co=16 kd=3 kh=3 kw=3 pd=1 ph=1 pw=1 layout=ndhwc bias=1",
    "rms_norm n=32 c=128",
    "resize2d c=8 hi=14 wi=14 ho=28 wo=28",
    NULL,
};

/* The target, opened once for each architecture that NVRTC knows. */
struct builders {
    const struct target *target;
    void *self[NARCHITECTURES];
    struct target_env env[NARCHITECTURES];
    int architecture[NARCHITECTURES], n;
    struct arena *arena;
};

/* Only what NVRTC does not know may be refused. */
static void open_builder(struct builders *b, const struct nvrtc *v, int architecture)
{
    struct err err = {0};
    struct nvrtc_goal goal;
    struct limits limits;
    char settings[32];
    bool known = nvrtc_choose(v, architecture, &goal, &err) && !goal.ptx;
    snprintf(settings, sizeof settings, "arch=sm_%d", architecture);
    b->env[b->n] = (struct target_env){.use = TARGET_BUILDS};
    b->architecture[b->n] = architecture;
    bool opens = target_begin(b->target, settings, b->arena, &b->env[b->n], &b->self[b->n], &limits, &err);
    if (!known && !opens)
        skip("this NVRTC does not know it", "NVRTC %d.%d compiles for sm_%d", v->major, v->minor, architecture);
    else
        ok(opens, "target cuda builds for sm_%d without a device %s", architecture, err.text);
    if (known && opens)
        b->n++;
}

static void open_builders(struct builders *b)
{
    struct nvrtc v;
    struct err err = {0};
    if (!nvrtc_open(&v, "", 0, &err))
        skip_all("%s", err.text);
    *b = (struct builders){.target = fixture_target("cuda"), .arena = arena_open("builders")};
    for (int i = 0; i < NARCHITECTURES; i++)
        open_builder(b, &v, ARCHITECTURES[i]);
}

static struct nest *fitting_nest(struct arena *a, const struct state *s, const struct limits *limits)
{
    struct err err = {0};
    struct nest *n;
    return s && lower(a, s, LAYOUT_NONE, &n, &err) && gpu_verify(n, limits, &err) ? n : NULL;
}

/* A program that CUDA's limits allow, mutated a few times; NULL: none was drawn. */
static struct state *draw_fitting(struct arena *a, const struct space *sp, struct rng *r, const struct limits *limits)
{
    for (int i = 0; i < DRAWS; i++) {
        struct state *s = draw_state(sp, a, r, NULL, NULL);
        struct nest *n = fitting_nest(a, s, limits);
        for (int k = 0; n && k < TRIES; k++) {
            struct genome child, parent = {s->steps, s->nsteps};
            if (!mutation_draw(sp, r)->apply(sp, a, a, r, parent, &child))
                continue;
            struct state *next = space_state(sp, a, child.steps, child.n, NULL, NULL);
            struct nest *other = fitting_nest(a, next, limits);
            s = other ? next : s;
            n = other ? other : n;
        }
        if (n)
            return s;
    }
    return NULL;
}

struct tally {
    int compiled, failed, empty, vectors, shuffles, fragments;
};

/* What the text of a program that was built has in it. */
static void count_words(const struct builders *b, struct arena *a, const struct state *s, struct tally *t)
{
    struct text source = {0};
    struct err err = {0};
    struct nest *n;
    if (lower(a, s, LAYOUT_NONE, &n, &err) && b->target->print(b->self[0], n, "source", &source, &err)) {
        t->vectors += strstr(text_str(&source), "float4") || strstr(text_str(&source), "float2");
        t->shuffles += strstr(text_str(&source), "__shfl") != NULL;
        t->fragments += strstr(text_str(&source), "  fragment_multiply_") != NULL;
    }
    text_free(&source);
}

static void check_program(const struct builders *b, struct arena *a, const struct state *s, struct tally *t)
{
    struct candidate c = {.task = s->task, .steps = s->steps, .nsteps = s->nsteps};
    char message[SAMPLE_MESSAGE] = "";
    struct blob object = {0};
    int with = (t->compiled + t->failed) % b->n;
    enum outcome o = b->target->build(b->self[with], &c, &object, message);
    t->compiled += o == OUTCOME_OK;
    t->failed += o != OUTCOME_OK;
    count_words(b, a, s, t);
    if (o != OUTCOME_OK && t->failed < 3)
        random_schedule_show(s, message);
    free(object.bytes);
}

static void check_reference(const struct builders *b, const struct task *task, struct tally *t)
{
    char message[SAMPLE_MESSAGE] = "";
    struct blob object = {0};
    int with = (t->compiled + t->failed) % b->n;
    if (!ok(b->target->reference(b->self[with], task, &object, message) == OUTCOME_OK,
            "the unscheduled program compiles for sm_%d", b->architecture[with]))
        diag("%s", message);
    free(object.bytes);
}

static void check_task(const struct builders *b, const char *spec, struct tally *all)
{
    struct limits limits = limits_cuda();
    struct tally t = *all;
    const struct task *task = fixture_task(arena, spec);
    struct space sp;
    struct rng r;
    int64_t more = fixture_number("RAINGAUGE_PROPERTY", 0), programs = more ? more * b->n : 2;
    rng_seed(&r, 3);
    share_test_gpu_space(&sp, arena, spec);
    struct space one = sp;
    one.nsketches = 1;
    for (int k = 0; k < sp.nsketches; k++)
        for (int64_t i = 0; i < programs; i++) {
            one.sketches = &sp.sketches[k];
            const struct state *s = draw_fitting(scratch, &one, &r, &limits);
            t.empty += !s;
            if (s)
                check_program(b, scratch, s, &t);
            arena_reset(scratch);
        }
    ok(t.failed == all->failed && t.empty == all->empty && t.compiled > all->compiled,
       "%s: %d programs of %d sketches compile", spec, t.compiled - all->compiled, sp.nsketches);
    check_reference(b, task, &t);
    *all = t;
}

/* MetaSchedule's programs for tensor cores, for every architecture: all of them have such. */
static void check_tensor(const struct builders *b, const char *spec)
{
    struct limits limits = limits_cuda();
    struct trace_space ts;
    struct tally t = {0};
    struct rng r;
    rng_seed(&r, 4);
    share_test_open(&ts, arena, fixture_task(arena, spec), &limits);
    for (int i = 0; i < 50 * DRAWS && t.compiled + t.failed < b->n; i++, arena_reset(scratch)) {
        struct trace one = trace_fresh(&ts, scratch, 0);
        const struct state *s = trace_replay(&ts, scratch, &one, &r, NULL, NULL);
        if (fitting_nest(scratch, s, &limits))
            check_program(b, scratch, s, &t);
    }
    ok(ts.layouts[0].tensor && t.compiled == b->n && t.fragments == b->n,
       "%s: %d programs for tensor cores compile, %d of them multiply fragments", spec, t.compiled, t.fragments);
}

/* Reductions across more threads than sketches begin with: several warps, several groups, no multiple of a warp. */
static void check_across(const struct builders *b)
{
    static const int64_t SHARED[][2] = {{24, 1}, {8, 6}, {64, 1}, {96, 2}, {1024, 1}, {49, 1}, {98, 3}};
    enum { N = sizeof SHARED / sizeof *SHARED };
    struct tally t = {0};
    for (int i = 0; i < N * b->n; i++, arena_reset(scratch)) {
        const int64_t *threads = &SHARED[i / b->n][0], *groups = &SHARED[i / b->n][1];
        const char *spec = arena_printf(scratch, "reduce n=12 m=%lld by=max", 2 * (long long)*threads);
        const char *steps = arena_printf(scratch,
                                         "[[\"SP\",1,0,0,[%lld],1],[\"SP\",1,2,0,[%lld],1],[\"AN\",1,0,5],"
                                         "[\"AN\",1,1,8],[\"AN\",1,3,6]]",
                                         (long long)*groups, (long long)*threads);
        const struct state *s = fixture_state(scratch, fixture_task(scratch, spec), steps);
        check_program(b, scratch, s, &t);
    }
    ok(t.compiled == N * b->n, "%d of %d reductions across 24 to 1024 threads compile", t.compiled, N * b->n);
}

int main(void)
{
    struct builders b;
    struct tally t = {0};
    open_builders(&b);
    if (!ok(b.n > 0, "this NVRTC knows %d of the architectures", b.n))
        return done_testing();
    check_across(&b);
    check_tensor(&b, "matmul n=512 m=256 k=256 dtype=float16");
    check_tensor(&b, "dense n=128 ci=256 co=512 bias=1 relu=1 dtype=float16");
    check_tensor(&b, "batch_matmul b=12 n=128 m=128 k=64 dtype=float16");
    check_tensor(&b, "conv2d ci=64 hi=56 wi=56 co=64 kh=3 kw=3 ph=1 pw=1 layout=nhwc bias=1 relu=1 dtype=float16");
    check_tensor(&b, "conv2d ci=256 hi=14 wi=14 co=256 kh=3 kw=3 ph=1 pw=1 layout=nchw bias=1 relu=1 dtype=float16");
    check_tensor(&b, "conv2d ci=3 hi=224 wi=224 co=64 kh=7 kw=7 sh=2 sw=2 ph=3 pw=3 layout=nhwc relu=1 dtype=float16");
    check_tensor(&b, "conv2d ci=512 hi=7 wi=7 co=2048 kh=1 kw=1 layout=nhwc bias=1 add=1 relu=1 dtype=float16");
    check_tensor(&b, "dense n=1 ci=2048 co=1000 bias=1 dtype=float16");
    for (int i = 0; SPECS[i]; i++)
        check_task(&b, SPECS[i], &t);
    ok(t.vectors > 2 && t.shuffles > 2, "vectors (%d programs) and values from lane to lane (%d) have been met",
       t.vectors, t.shuffles);
    for (int i = 0; i < b.n; i++)
        b.target->close(b.self[i]);
    arena_close(b.arena);
    return done_testing();
}
