/* SPDX-License-Identifier: Apache-2.0 */
/* trace_space: programs of MetaSchedule's space. Traces of small tasks of every operator replay to programs that
 * compute what the graph computes, and are found again from their steps. The marks of the postprocessor stand on worked
 * examples. How decisions are drawn is in trace_decisions.c. */
#include "search/trace/trace_space.h"
#include "harness/program/ops/ops.h"
#include "tests/lib/fixture.h"
#include "tests/lib/random_schedule.h"
#include "tests/lib/share_test.h"
#include "tests/lib/tap.h"

#include <string.h>

/* ---- every operator ---- */

static void every_operator(void)
{
    enum { DRAWS = 40 };
    for (int i = 0; RANDOM_SCHEDULE_SPECS[i]; i++) {
        struct trace_space tr;
        struct rng r;
        struct err err = {0};
        struct trial_task t;
        int made = 0, wrong = 0, run = 0, lost = 0;
        rng_seed(&r, (uint64_t)i);
        share_test_traces(&tr, arena, RANDOM_SCHEDULE_SPECS[i], 2 + 6 * (i % 2));
        fixture_must(random_schedule_task(arena, RANDOM_SCHEDULE_SPECS[i], &r, &t, &err), &err);
        for (int k = 0; k < DRAWS; k++, arena_reset(scratch)) {
            struct trace tc = trace_fresh(&tr, scratch, (int)rng_below(&r, (uint64_t)tr.space.nsketches));
            tc.at[tr.layouts[tc.layout].parallel] = (int64_t)1 << rng_below(&r, 8);
            struct state *s = trace_replay(&tr, scratch, &tc, &r, NULL, &err);
            bool done = false;
            if (!s)
                continue;
            made++;
            if (!random_schedule_run(scratch, &t, s, LAYOUT_NONE, 2000000, &done, &err) && wrong++ < 2)
                random_schedule_show(s, err.text);
            run += done;
            tc = trace_fresh(&tr, scratch, tc.layout);
            s = trace_replay(&tr, scratch, &tc, &r, NULL, &err);
            if (s && !share_test_found(&tr, scratch, s) && lost++ < 2)
                random_schedule_show(s, "not found again");
        }
        ok(made == DRAWS && run > DRAWS / 2, "%s: %d of %d traces replay, %d run", RANDOM_SCHEDULE_SPECS[i], made,
           DRAWS, run);
        is_int(wrong, 0, "random traces compute what the graph computes");
        is_int(lost, 0, "the steps of random traces are found to be traces again");
    }
}

/* ---- the networks' kernels ---- */

/* Two traces of each design space of every distinct kernel: they replay and are found again. */
static void every_kernel(void)
{
    int networks, kernels, spaces = 0, made = 0, lost = 0;
    const struct task **tasks = fixture_kernels(arena, &kernels, &networks);
    const struct limits limits = limits_cpu(8);
    struct rng r;
    rng_seed(&r, 20);
    for (int i = 0; i < kernels; i++) {
        struct arena *own = arena_open("kernel");
        struct trace_space tr;
        share_test_open(&tr, own, tasks[i], &limits);
        for (int space = 0; space < 2 * tr.space.nsketches; space++, arena_reset(scratch)) {
            struct trace t = trace_fresh(&tr, scratch, space / 2);
            struct state *s = trace_replay(&tr, scratch, &t, &r, NULL, NULL);
            spaces += space % 2;
            made += s != NULL;
            lost += s && !share_test_found(&tr, scratch, s);
        }
        arena_close(own);
    }
    ok(networks >= 20 && kernels > 400, "the %d networks have %d different kernels", networks, kernels);
    is_int(made, 2 * spaces, "all traces of their %d design spaces replay", spaces);
    is_int(lost, 0, "all traces of the kernels are found again from their steps");
}

/* ---- MetaSchedule's own examples: tests/python/meta_schedule/test_meta_schedule_space_cpu.py, TVM v0.16 ---- */

#define C2D "conv2d ci=3 hi=224 wi=224 co=64 kh=7 kw=7 sh=2 sw=2 ph=3 pw=3 layout=nhwc"
#define DIL "conv2d ci=3 hi=224 wi=224 co=64 kh=7 kw=7 sh=2 sw=2 ph=3 pw=3 dh=2 dw=2 layout=nhwc"
#define GRP "conv2d ci=64 hi=56 wi=56 co=128 kh=3 kw=3 sh=2 sw=2 ph=1 pw=1 groups=4 layout=nhwc"
#define DEP "depthwise_conv2d ci=32 hi=112 wi=112 kh=3 kw=3 ph=1 pw=1 layout=nhwc"
#define GMM "batch_matmul b=1 n=128 m=128 k=128"
#define SFM "softmax n=256 c=256"
enum { CORES = 18 };

/* How many tiles and locations each design space samples. */
static void design_spaces(void)
{
    static const struct {
        const char *spec;
        int tiles[3], places[3], many[3]; /* so many spaces with so many of each */
    } want[] = {
        {C2D, {7}, {1}, {3}}, {DIL, {7}, {1}, {3}}, {GRP, {7}, {1}, {3}},
        {DEP, {6}, {1}, {3}}, {GMM, {4}, {0}, {3}}, {SFM, {2, 1, 0}, {5, 4, 3}, {4, 4, 1}},
    };
    for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
        struct trace_space tr;
        share_test_traces(&tr, arena, want[i].spec, CORES);
        is_int(tr.space.nsketches, want[i].many[0] + want[i].many[1] + want[i].many[2],
               "%s has the design spaces of TVM's test", want[i].spec);
        for (int k = 0; k < 3 && want[i].many[k]; k++) {
            int n = 0;
            for (int o = 0; o < tr.space.nsketches; o++)
                n += tr.layouts[o].sketch->nsplits == want[i].tiles[k] && tr.layouts[o].nstages == want[i].places[k];
            is_int(n, want[i].many[k], "a design space of TVM's test has %d tiles and %d locations", want[i].tiles[k],
                   want[i].places[k]);
        }
    }
}

struct example {
    const char *name, *spec;
    int layout; /* of ours; -1: one of them */
    int ntiles, tiles[7][4], nplaces, places[5];
    int64_t pad[4]; /* extents of the padded input's block; 0: none given */
};
#define C2D_TILES                                                                                                      \
    7,                                                                                                                 \
    {                                                                                                                  \
        {1, 1, 1, 1}, {7, 1, 2, 8}, {4, 28, 1, 1}, {2, 8, 1, 4}, {7, 1}, {7, 1}, {1, 3}                                \
    }
#define DIL_TILES                                                                                                      \
    7,                                                                                                                 \
    {                                                                                                                  \
        {1, 1, 1, 1}, {109, 1, 1, 1}, {1, 1, 109, 1}, {4, 2, 8, 1}, {7, 1}, {1, 7}, {1, 3}                             \
    }
#define DEP_TILES                                                                                                      \
    6,                                                                                                                 \
    {                                                                                                                  \
        {1, 1, 1, 1}, {1, 4, 2, 14}, {1, 4, 7, 4}, {1, 8, 2, 2}, {1, 3}, {1, 3}                                        \
    }
/* Left out: sfm_3 and sfm_5, in which a partial result stands in the reduce loop of the rest of its reduction, itself
 * computed elsewhere. TIR then has that loop outside a spatial one of extent 1, which makes it a location; ours comes
 * last, as in every untiled reduction. */
static const struct example examples[] = {
    {"c2d_0", C2D, 1, C2D_TILES, 1, {6}, {0}},
    {"c2d_1", C2D, 0, C2D_TILES, 1, {-1}, {0}},
    {"c2d_2", C2D, 2, C2D_TILES, 1, {1}, {1, 37, 229, 3}},
    {"dep_2", DEP, 2, DEP_TILES, 1, {5}, {1, 30, 114, 32}},
    {"dil_0", DIL, 1, DIL_TILES, 1, {7}, {1, 13, 229, 3}},
    {"dil_1", DIL, 0, DIL_TILES, 1, {8}, {1, 1, 229, 3}},
    {"sfm_0", SFM, -1, 2, {{16, 16}, {4, 64}}, 5, {1, -1, -2, -1, -1}, {0}},
    {"sfm_1", SFM, -1, 2, {{16, 16}, {4, 64}}, 5, {-1, -1, -1, 1, 0}, {0}},
    {"sfm_2", SFM, -1, 1, {{16, 16}}, 4, {-1, -1, -2, -1}, {0}},
    {"sfm_4", SFM, -1, 2, {{16, 16}, {256, 1}}, 5, {-1, -1, -1, -1, 0}, {0}},
    {"sfm_6", SFM, -1, 1, {{64, 4}}, 4, {-1, -2, -1, 0}, {0}},
    {"sfm_7", SFM, -1, 1, {{64, 4}}, 4, {1, -2, -1, -1}, {0}},
    {"sfm_8", SFM, -1, 0, {{0}}, 3, {-1, -1, 0}, {0}},
};

/* Replays the example in one design space: no decision may be impossible there. */
static bool holds(const struct trace_space *tr, int layout, const struct example *e)
{
    const struct trace_layout *o = &tr->layouts[layout];
    if (o->sketch->nsplits != e->ntiles || o->nstages != e->nplaces)
        return false;
    struct trace t = trace_fresh(tr, scratch, layout);
    t.at[o->unroll] = 16;
    for (int i = 0; i < e->ntiles; i++)
        for (int k = 0; k < o->sketch->splits[i].schemes->n; k++)
            t.at[o->tile[i] + k] = e->tiles[i][k + 1];
    for (int i = 0; i < e->nplaces; i++)
        t.at[o->place + i] = e->places[i];
    struct state *s = trace_structure(tr, scratch, &t, NULL, NULL, NULL, NULL);
    bool same = s != NULL;
    for (int i = 0; same && i < e->nplaces; i++)
        same = t.at[o->place + i] == e->places[i];
    for (int i = 0; same && e->pad[0] && i < 4; i++)
        same = s->stages[o->stage[0]].vars[i].extent == e->pad[i];
    return same;
}

static void own_examples(void)
{
    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
        const struct example *e = &examples[i];
        struct trace_space tr;
        int n = 0;
        share_test_traces(&tr, arena, e->spec, CORES);
        for (int o = 0; o < tr.space.nsketches; o++)
            n += (e->layout < 0 || e->layout == o) && holds(&tr, o, e);
        ok(n > 0, "%s: the decisions of TVM's test replay%s", e->name,
           e->pad[0] ? ", its padding has the same extents" : "");
        arena_reset(scratch);
    }
}

/* ---- marks: worked out by hand from the rules of postproc.h ---- */

/* The state's text after the first line, for the trace with the given tiles (of a dense task) and extents. */
static void marks_are(const char *spec, const int64_t *tiles, int n, int64_t parallel, int64_t vector, int64_t unroll,
                      const char *want)
{
    struct trace_space tr;
    struct err err = {0};
    share_test_traces(&tr, arena, spec, 4);
    int layout = share_test_layout(&tr);
    const struct trace_layout *o = &tr.layouts[layout];
    struct trace t = trace_fresh(&tr, scratch, layout);
    for (int i = 0; i < o->n; i++)
        t.at[i] = i < n ? tiles[i] : TRACE_ROOT;
    t.at[o->parallel] = parallel;
    t.at[o->vector] = vector;
    t.at[o->unroll] = unroll;
    struct state *s = trace_replay(&tr, scratch, &t, NULL, NULL, &err);
    struct text text = {0};
    if (s)
        state_print(s, &text);
    const char *line = s ? strchr(text_str(&text), '\n') : NULL;
    is_str(line ? line + 1 : err.text, want,
           "the marks of %s with parallel extent %d and vector extent %d are those worked out by hand", spec,
           (int)parallel, (int)vector);
    text_free(&text);
    arena_reset(scratch);
}

static void marks(void)
{
    /* 12 x 20 elements in one go: all loops become one, split by the vector extent, which does not divide. */
    marks_are("map n=12 c=20 by=relu", NULL, 0, 64, 64, 16,
              "parallel ax0@ax1@.0 (0,4)\n  vectorize ax0@ax1@.1 (0,64)\n    T_relu = ...\n");
    /* A row reduction reads m innermost and its output has no m: no vector loop, the pragma on the parallel loop. */
    marks_are("reduce n=40 m=6 by=sum", NULL, 0, 16, 64, 64,
              "B auto_unroll: 64\nparallel i (0,40)\n  for k (0,6)\n    B = ...\n");
    /* i = 4 2 1 3, j = 2 1 2 5, k = 3 2: 4 exceeds the extent 3, so one loop; with extent 4 the next one joins (8),
     * with 8 the third (16). B is read by columns (stride 20 elements of k inside), C and the loads of B along j: 5
     * fits. */
    static const int64_t tiles[] = {2, 1, 3, 1, 2, 5, 2};
    marks_are("matmul n=24 m=20 k=6", tiles, 7, 3, 64, 0,
              "parallel i.0 (0,4)\n  for j.0 (0,2)\n    for i.1 (0,2)\n      for k.0 (0,3)\n        for j.2 (0,2)\n"
              "          for k.1 (0,2)\n            for i.3 (0,3)\n              vectorize j.3 (0,5)\n"
              "                C = ...\n");
    marks_are(
        "matmul n=24 m=20 k=6", tiles, 7, 4, 4, 0,
        "parallel i.0@j.0@ (0,8)\n  for i.1 (0,2)\n    for k.0 (0,3)\n      for j.2 (0,2)\n        for k.1 (0,2)\n"
        "          for i.3 (0,3)\n            for j.3 (0,5)\n              C = ...\n");
}

int main(void)
{
    every_operator();
    every_kernel();
    design_spaces();
    own_examples();
    marks();
    return done_testing();
}
