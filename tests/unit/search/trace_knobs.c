/* SPDX-License-Identifier: Apache-2.0 */
/* trace_knobs: Droplet's axes over a trace of MetaSchedule (droplet.md, "The grid from a trace"): which there are, with
 * which values, and that every point of the grid is a program that computes what the graph computes. */
#include "search/exploit/trace_knobs.h"
#include "harness/program/lower/bound.h"
#include "harness/program/lower/gpu_verify.h"
#include "harness/program/lower/lower.h"
#include "search/exploit/descent.h"
#include "targets/gpu/gpu_emit.h"
#include "tests/lib/fixture.h"
#include "tests/lib/random_schedule.h"
#include "tests/lib/share_test.h"
#include "tests/lib/tap.h"

#include <string.h>

/* A random trace's program as a seed; unroll: its limit. */
static struct candidate seed_of(const struct task *task, int layout, int64_t unroll, struct rng *r)
{
    struct trace_space tr;
    struct err err = {0};
    share_test_traces(&tr, arena, task->spec, 4);
    struct trace t = trace_fresh(&tr, arena, layout % tr.space.nsketches);
    t.at[tr.layouts[t.layout].unroll] = unroll;
    struct state *s = trace_replay(&tr, arena, &t, r, NULL, &err);
    fixture_must(s, &err);
    return knob_candidate(arena, tr.space.task, steps_copy(arena, s->steps, s->nsteps), s->nsteps);
}

static bool values_are(const struct knob *k, const int64_t *want, int n)
{
    return k->n == n && k->origin == 0 && memcmp(k->values, want, sizeof *want * (size_t)n) == 0;
}

/* How the parallel and vector loops and the pragma of a candidate look: one line of its state. */
static bool shows(const struct candidate *c, const char *line)
{
    struct state *s;
    struct text t = {0};
    if (!state_replay(scratch, c->task, c->steps, c->nsteps, &s, NULL) || !bound_infer(s, NULL))
        return false;
    state_print(s, &t);
    bool found = strstr(text_str(&t), line) != NULL;
    if (!found)
        diag("%s", text_str(&t));
    text_free(&t);
    return found;
}

static void axes(void)
{
    static const int64_t unrolls[] = {64, 128, 256, 512, 1024, 2048}, parallels[] = {64, 32, 128, 256, 512},
                         vectors[] = {64, 16, 32, 128, 256};
    struct limits limits = limits_cpu(4);
    struct rng r;
    struct trace_knobs rt;
    struct knob knobs[DESCENT_AXES];
    int point[DESCENT_AXES] = {0}, wrong = 0;
    rng_seed(&r, 1);
    struct candidate seed = seed_of(fixture_task(arena, "matmul n=64 m=96 k=32"), 0, 64, &r);
    ok(trace_knobs_open(&rt, arena, &seed, &limits), "a replayed trace is found to be a trace");
    int n = trace_knobs_list(&rt, arena, knobs, DESCENT_AXES);
    if (!is_int(n, 3 + 3 + 1 + 2 + 1,
                "the axes of a matmul are three lengths of i and j, one of k, two extents and a pragma"))
        return;
    for (int i = 0; i < 7; i++) {
        wrong += knobs[i].origin != 0 || knobs[i].n < 6 || knobs[i].n > 7;
        for (int v = 1; v < knobs[i].n; v++)
            wrong += knobs[i].values[v] < 2 || knobs[i].values[v] > 64 ||
                     (knobs[i].values[v] & (knobs[i].values[v] - 1)) != 0;
    }
    is_int(wrong, 0, "a tile axis has the seed's length, then 2 4 8 16 32 64");
    ok(values_are(&knobs[7], parallels, 5), "the parallel axis has the seed's 64, then 32 to 512");
    ok(values_are(&knobs[8], vectors, 5), "the vector axis has the seed's 64, then 16 to 256");
    ok(values_are(&knobs[9], unrolls, 6), "the pragma axis has the seed's 64, then 128 to 2048");
    struct candidate c = trace_knobs_candidate(&rt, arena, knobs, n, point);
    ok(c.hash == seed.hash, "the origin of the axes is the seed");
    point[9] = 5;
    c = trace_knobs_candidate(&rt, arena, knobs, n, point);
    ok(shows(&c, "auto_unroll: 2048"), "the pragma's axis sets the pragma");

    seed = seed_of(fixture_task(arena, "map n=64 c=96 by=relu"), 0, 0, &r);
    ok(trace_knobs_open(&rt, arena, &seed, &limits), "an element-wise stage gives a trace");
    n = trace_knobs_list(&rt, arena, knobs, DESCENT_AXES);
    is_int(n, 2, "an element-wise stage has two axes, and none for an unroll limit of 0");
    memset(point, 0, sizeof point);
    point[1] = 3;
    c = trace_knobs_candidate(&rt, arena, knobs, n, point);
    ok(shows(&c, ".0 (0,48)\n  vectorize ax0@ax1@.1 (0,128)"), "the vector extent's axis splits anew");

    seed = seed_of(fixture_task(arena, "reduce n=8 m=4 by=sum"), 0, 16, &r);
    ok(trace_knobs_open(&rt, arena, &seed, &limits) && trace_knobs_list(&rt, arena, knobs, DESCENT_AXES) == 3,
       "a row sum has no tile, two extents and a pragma");
}

/* Is what the lengths of a split make up a part of its extent? Else blocks for tensor cores would be guarded. */
static bool divides(const struct step *split, const struct knob *k, int64_t value)
{
    int64_t product = value;
    for (int i = 0; i < split->n; i++)
        product *= i == k->place ? 1 : split->list[i];
    return split->extent % product == 0;
}

/* A GPU's axes: sampled lengths and pragmas. At every point a program for tensor cores has blocks of 16. */
static void tensor_axes(const char *spec, int lengths)
{
    enum { POINTS = 40 };
    struct limits limits = limits_cuda();
    const struct trace_options options = trace_defaults();
    struct trace_space ts;
    struct trace_knobs rt;
    struct knob knobs[DESCENT_AXES];
    struct rng r;
    struct err err = {0};
    int broken = 0, splits = 0, tried = 0;
    rng_seed(&r, 3);
    fixture_must(trace_space_open(&ts, arena, fixture_task(arena, spec), &limits, &options, &err), &err);
    struct trace t = trace_fresh(&ts, arena, 0);
    struct state *s = trace_replay(&ts, arena, &t, &r, NULL, &err);
    fixture_must(s, &err);
    struct candidate seed = knob_candidate(arena, ts.space.task, steps_copy(arena, s->steps, s->nsteps), s->nsteps);
    ok(ts.layouts[0].tensor && trace_knobs_open(&rt, arena, &seed, &limits),
       "%s: a program for tensor cores is a trace", spec);
    int n = trace_knobs_list(&rt, arena, knobs, DESCENT_AXES);
    for (int i = 0; i < n; i++)
        splits += knobs[i].place >= 0;
    is_int(splits, lengths, "%s: its axes are the sampled lengths, and no 16 of a block", spec);
    for (int i = 0; i < POINTS; i++, arena_reset(scratch)) {
        int point[DESCENT_AXES] = {0}, axis = (int)rng_below(&r, (uint64_t)n);
        point[axis] = (int)rng_below(&r, (uint64_t)knobs[axis].n);
        if (knobs[axis].place >= 0 &&
            !divides(&seed.steps[knobs[axis].step], &knobs[axis], knobs[axis].values[point[axis]]))
            continue;
        tried++;
        struct candidate c = trace_knobs_candidate(&rt, scratch, knobs, n, point);
        struct text source = {0};
        struct gpu_program program;
        struct nest *nest;
        bool fine =
            state_replay(scratch, c.task, c.steps, c.nsteps, &s, &err) && bound_infer(s, &err) &&
            lower(scratch, s, LAYOUT_NONE, &nest, &err) &&
            (!gpu_verify(nest, &limits, NULL) || gpu_emit(scratch, nest, &dialect_cuda, &program, &source, &err));
        broken += !fine;
        if (!fine)
            diag("%s", err.text);
        text_free(&source);
    }
    ok(broken == 0 && tried > POINTS / 4, "%s: no point of %d breaks a block", spec, tried);
}

/* Random points of random seeds. */
static void every_point(const char *spec)
{
    enum { SEEDS = 6, POINTS = 10 };
    struct limits limits = limits_cpu(4);
    struct trial_task t;
    struct rng r;
    struct err err = {0};
    int wrong = 0, invalid = 0, run = 0;
    rng_seed(&r, 5);
    fixture_must(random_schedule_task(arena, spec, &r, &t, &err), &err);
    for (int i = 0; i < SEEDS * POINTS; i++, arena_reset(scratch)) {
        struct candidate seed = seed_of(t.task, i / POINTS, 16 << (i % 3), &r);
        struct trace_knobs rt;
        struct knob knobs[DESCENT_AXES];
        int point[DESCENT_AXES] = {0};
        if (!trace_knobs_open(&rt, scratch, &seed, &limits)) {
            wrong++;
            continue;
        }
        int n = trace_knobs_list(&rt, scratch, knobs, DESCENT_AXES);
        for (int moved = 0; moved < 2 && n; moved++) { /* two axes; all at once would make long programs */
            int axis = (int)rng_below(&r, (uint64_t)n);
            point[axis] = (int)rng_below(&r, (uint64_t)knobs[axis].n);
        }
        struct candidate c = trace_knobs_candidate(&rt, scratch, knobs, n, point);
        struct state *s;
        bool done = false;
        if (!state_replay(scratch, c.task, c.steps, c.nsteps, &s, &err) || !bound_infer(s, &err)) {
            invalid++;
            diag("%s", err.text);
            continue;
        }
        wrong += !random_schedule_run(scratch, &t, s, LAYOUT_NONE, 4000000, &done, &err);
        run += done;
    }
    ok(invalid == 0 && run > SEEDS * POINTS / 2, "%s: all random points are programs, %d run", spec, run);
    is_int(wrong, 0, "random points of a trace's axes compute what the graph computes");
}

static void strangers(void)
{
    struct limits limits = limits_cpu(4);
    struct space sp;
    struct rng r;
    struct trace_knobs rt;
    int found = 0;
    rng_seed(&r, 9);
    share_test_space(&sp, arena, "conv2d n=1 ci=8 hi=14 wi=14 co=16 kh=3 kw=3 ph=1 pw=1 cib=4 cob=8 bias=1 relu=1", 4);
    for (int i = 0; i < 20; i++, arena_reset(scratch)) {
        struct genome g = share_test_genome(&sp, arena, scratch, &r);
        struct candidate c = knob_candidate(arena, sp.task, g.steps, g.n);
        found += trace_knobs_open(&rt, scratch, &c, &limits);
    }
    ok(found < 20, "schedules of Ansor are no traces (%d of 20 happen to be)", found);
}

int main(void)
{
    axes();
    every_point("dense n=3 ci=10 co=7 bias=1 relu=1");
    every_point("conv2d ci=4 hi=6 wi=5 co=6 kh=3 kw=3 ph=1 pw=1 cib=2 cob=3 bias=1 relu=1");
    every_point("softmax n=4 c=9");
    every_point("pool2d c=4 hi=7 wi=7 cb=2 kh=3 kw=3 sh=2 sw=2 ph=1 pw=1 pool=max");
    every_point("map n=3 c=7 by=relu");
    tensor_axes("matmul n=64 m=96 k=32 dtype=float16", 10);
    tensor_axes("conv2d ci=16 hi=6 wi=6 co=16 kh=3 kw=3 ph=1 pw=1 layout=nhwc dtype=float16", 10);
    strangers();
    return done_testing();
}
