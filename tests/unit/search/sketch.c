/* SPDX-License-Identifier: Apache-2.0 */
/* sketch: the numbers of sketches of TVM's own tests (v0.16, test_auto_scheduler_sketch_generation.py, llvm), and TVM
 * v0.16's answers for the published kernels (data/tvm_oracle/random_states.jsonl): the number of sketches, each state's
 * steps begin with one of our sketches, and our rules for parallel, unroll and vectorise put exactly TVM's steps behind
 * them. The same for cuda (cuda_states.jsonl); that all their steps come out is in sampling.c. */
#include "harness/program/ops/graph.h"
#include "search/sketch/annotate.h"
#include "search/sketch/space.h"
#include "search/sketch/stage_query.h"
#include "tests/lib/fixture.h"
#include "tests/lib/oracle.h"
#include "tests/lib/tap.h"

static const struct space_options defaults = {
    .max_vectorize = 16, .cpu_structure = "SSRSRS", .gpu_structure = "SSSRRSRS"};

/* cores 0: a GPU. */
static int count(const struct task *t, int64_t cores, struct space *sp)
{
    struct err err = {0};
    const struct limits limits = cores ? limits_cpu(cores) : limits_cuda();
    fixture_must(space_open(sp, arena, t, &limits, &defaults, &err), &err);
    return sp->nsketches;
}

/* Transform of one winograd tile, which is no operator of the tree: the indices of the constant matrix are marked. */
static const struct task *winograd_transform(void)
{
    struct graph *g = ARENA_NEW(arena, struct graph);
    struct task *t = ARENA_NEW(arena, struct task);
    struct err err = {0};
    static const char *const marked[] = {"eps", "nu", "r_a", "r_b"};
    const struct axis axes[] = {{"eps", 6}, {"nu", 6}, {"p", 49}, {"ci", 128}, {"r_a", 6}, {"r_b", 6}};
    const struct expr *ax[6];
    g->arena = arena;
    for (int i = 0; i < 6; i++)
        ax[i] = expr_axis(arena, i);
    const struct op *data = graph_input(g, NULL, 4, (int64_t[]){6, 6, 49, 128});
    const struct op *b = graph_input(g, NULL, 2, (int64_t[]){6, 6});
    const struct expr *matrices =
        expr_make2(arena, EXPR_MUL, graph_read(g, b, ax[4], ax[0]), graph_read(g, b, ax[5], ax[1]));
    graph_stage(
        g, (struct op){.name = "data_pack",
                       .axes = axes,
                       .nspatial = 4,
                       .nreduce = 2,
                       .reducer = REDUCE_SUM,
                       .body = expr_make2(arena, EXPR_MUL, graph_read(g, data, ax[4], ax[5], ax[2], ax[3]), matrices),
                       .const_axes = marked,
                       .nconst_axes = 4});
    *t = (struct task){.spec = "test", .name = "test"};
    fixture_must(graph_finish(g, &t->dag, &err), &err);
    return t;
}

static bool has_step(const struct sketch *k, enum step_kind kind)
{
    for (int i = 0; i < k->nsteps; i++)
        if (k->steps[i].kind == kind)
            return true;
    return false;
}

#define CONV "conv2d ci=512 hi=56 wi=56 co=512 kh=3 kw=3 ph=1 pw=1 layout=nchw bias=1 scale=1 relu=1"
#define POOL "pool2d c=512 hi=56 wi=56 kh=2 kw=2 pool=max layout=nchw"

/* The columns for llvm and cuda of TVM's test; 0: not in it. */
static void counts(void)
{
    static const struct {
        const char *spec; /* NULL: the transform */
        int cpu, gpu;
    } CASES[] = {{"matmul n=512 m=512 k=512", 3, 1},
                 {"matmul n=8 m=8 k=512", 5, 0},
                 {"matmul n=8 m=8 k=1024", 0, 2},
                 {"matmul n=512 m=512 k=512 chain=1", 9, 1},
                 {CONV, 3, 1},
                 {POOL, 1, 1},
                 {"reduce n=10 m=1024 by=min", 3, 2},
                 {"reduce n=0 m=128 by=sum", 3, 2},
                 {"softmax n=1 c=1024", 9, 0},
                 {"softmax n=2 c=1024", 0, 4},
                 {"softmax n=1 h=12 w=128 c=128", 9, 4},
                 {"winograd n=1 ci=128 hi=28 wi=28 co=128 ph=1 pw=1", 3, 1},
                 {NULL, 1, 0}};
    struct space sp;
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        const char *spec = CASES[i].spec;
        const struct task *t = spec ? fixture_task(arena, spec) : winograd_transform();
        if (CASES[i].cpu)
            is_int(count(t, 8, &sp), CASES[i].cpu, "'%s' has the sketches of TVM's test", t->spec);
        if (CASES[i].gpu)
            is_int(count(t, 0, &sp), CASES[i].gpu, "on GPUs '%s' has the sketches of TVM's test", t->spec);
    }
}

static void structures(void)
{
    struct space sp;
    count(fixture_task(arena, "matmul n=512 m=512 k=512"), 8, &sp);
    ok(!has_step(&sp.sketches[0], STEP_CHW) && has_step(&sp.sketches[1], STEP_CHW) &&
           has_step(&sp.sketches[2], STEP_CHW),
       "a matmul is tiled plainly first, then twice with a cache write and fusion");
    is_int(sp.sketches[1].steps[5].value2, 1, "the second sketch of a matmul fuses at level 1");
    is_int(sp.sketches[2].steps[5].value2, 2, "the third sketch of a matmul fuses at level 2");
    struct text order = {0};
    const struct stage *st = &sp.sketches[0].state->stages[2];
    for (int i = 0; i < st->nleaf; i++)
        text_printf(&order, "%s ", stage_iter(st, i)->name);
    is_str(text_str(&order), "i.0 j.0 i.1 j.1 k.0 i.2 j.2 k.1 i.3 j.3 ", "a tiled matmul has TVM's loop order");
    text_free(&order);
    count(fixture_task(arena, "matmul n=8 m=8 k=512"), 8, &sp);
    ok(has_step(&sp.sketches[0], STEP_RF) && has_step(&sp.sketches[1], STEP_RF) && !has_step(&sp.sketches[2], STEP_RF),
       "a matmul with a long sum gets its rfactor sketches first");
    is_int(sp.sketches[0].nsplits, 1, "the split of an rfactor is left open");
    count(fixture_task(arena, CONV), 8, &sp);
    ok(has_step(&sp.sketches[0], STEP_FSP) && has_step(&sp.sketches[1], STEP_FSP) &&
           !has_step(&sp.sketches[2], STEP_FSP),
       "a convolution with an epilogue is fused at both levels, then tiled plainly");
    for (int cores = 0; cores <= 8; cores += 8) {
        count(fixture_task(arena, POOL), cores, &sp);
        is_int(sp.sketches[0].nsteps, 0, "the sketch of a max pooling has no step");
    }
    count(winograd_transform(), 8, &sp);
    is_int(sp.sketches[0].nsplits, 2, "the axes of a winograd transform that are not unrolled are split in two");
    count(fixture_task(arena, "matmul n=512 m=512 k=512"), 0, &sp);
    ok(has_step(&sp.sketches[0], STEP_CHW) && has_step(&sp.sketches[0], STEP_CHR),
       "on GPUs a matmul is cached on both sides");
    is_int(sp.sketches[0].steps[1].n, 4, "on GPUs a spatial axis is split into five parts");
    count(fixture_task(arena, "matmul n=8 m=8 k=1024"), 0, &sp);
    ok(has_step(&sp.sketches[0], STEP_AN) && !has_step(&sp.sketches[1], STEP_AN),
       "the reduction across threads comes first");
    count(fixture_task(arena, "reduce n=10 m=1024 by=min"), 0, &sp);
    is_int(sp.sketches[1].nsteps, 0, "the last sketch of a minimum has no step");
}

/* ---- TVM's answers ---- */

static bool same_step(const struct step *x, const struct step *y, bool lengths_open)
{
    struct text a = {0}, b = {0};
    struct step sx = *x, sy = *y;
    int64_t zeros[STEP_LIST_MAX] = {0};
    if (lengths_open && x->kind == STEP_SP && y->kind == STEP_SP && x->n == y->n)
        sx.list = sy.list = zeros;
    steps_print(&sx, 1, &a);
    steps_print(&sy, 1, &b);
    bool same = str_eq(text_str(&a), text_str(&b));
    text_free(&a);
    text_free(&b);
    return same;
}

/* The sketch that the steps begin with and that leaves no structural step behind; -1 none. */
static int find_sketch(const struct space *sp, const struct step *steps, int n)
{
    for (int i = 0; i < sp->nsketches; i++) {
        const struct sketch *k = &sp->sketches[i];
        bool same = k->nsteps <= n;
        for (int s = 0; s < k->nsteps && same; s++)
            same = same_step(&k->steps[s], &steps[s], true);
        for (int s = k->nsteps; s < n && same; s++)
            same = steps[s].kind == STEP_CA || steps[s].kind == STEP_CR || steps[s].kind == STEP_CI ||
                   steps[s].kind == STEP_FU || steps[s].kind == STEP_AN || steps[s].kind == STEP_PR;
        if (same)
            return i;
    }
    return -1;
}

/* Whether our marks, on the state up to the first mark, are TVM's. Vector loops may be drawn shorter than ours. */
static bool same_marks(const struct space *sp, const struct step *steps, int n, int from)
{
    struct state *s;
    struct err err = {0};
    int64_t unroll[STAGE_QUERY_MAX] = {0};
    int marks = from, npragmas = 0;
    while (marks < n && steps[marks].kind != STEP_FU && steps[marks].kind != STEP_AN && steps[marks].kind != STEP_PR)
        marks++;
    for (int i = marks; i < n; i++)
        if (steps[i].kind == STEP_PR)
            unroll[npragmas++] = steps[i].value;
    if (!state_replay(arena, sp->task, steps, marks, &s, &err) || !space_bounds(s, NULL, &err) ||
        annotate_unrollable(s) != npragmas || !annotate_parallel(sp, s, &err) ||
        !annotate_unroll(sp, s, NULL, unroll, &err) || !annotate_vectorize(sp, s, NULL, &err)) {
        diag("%s", err.text);
        return false;
    }
    int i = 0, j = 0;
    while (i < n && j < s->nsteps) {
        if (same_step(&s->steps[j], &steps[i], false)) {
            i++, j++;
        } else if (s->steps[j].kind == STEP_FU && s->steps[j].stage == steps[i].stage) {
            /* Ours is the longest vector loop; TVM drew a shorter one on the same stage: one fuse, or none, and a mark.
             */
            i += steps[i].kind == STEP_FU && steps[i].n < s->steps[j].n;
            if (i >= n || steps[i].kind != STEP_AN || steps[i].value != ANN_VECTORIZE)
                return false;
            i++, j += 2;
        } else {
            return false;
        }
    }
    return i == n && j == s->nsteps;
}

struct tally {
    int kernels, counts_wrong, states, no_sketch, other_marks;
};

static void one_state(const struct tvm_log_entry *e, const struct space *sp, struct tally *t)
{
    int k = find_sketch(sp, e->steps, e->nsteps);
    bool same = k >= 0 && same_marks(sp, e->steps, e->nsteps, sp->sketches[k].nsteps);
    t->states++;
    t->no_sketch += k < 0;
    t->other_marks += k >= 0 && !same;
    if (!same)
        diag("%s: %s", e->id, k < 0 ? "no sketch of ours" : "other marks");
}

/* cores 0: a GPU, whose states are in sampling.c. */
static void oracle(const char *name, int64_t cores, int kernels)
{
    struct oracle o;
    struct tally t = {0};
    struct space sp = {0};
    const char *last = "";
    if (!oracle_open(&o, name))
        return;
    for (; oracle_next(&o, arena); last = o.spec) {
        int want = (int)json_num(o.json, "sketches", -1);
        if (!str_eq(o.spec, last)) {
            t.kernels++;
            t.counts_wrong += count(fixture_task(arena, o.spec), cores, &sp) != want;
            if (sp.nsketches != want)
                diag("%s: %d sketches, TVM has %d", o.spec, sp.nsketches, want);
        }
        if (cores)
            one_state(&o.e, &sp, &t);
    }
    is_int(t.kernels, kernels, "the oracle %s has its kernels", name);
    is_int(t.counts_wrong, 0, "the number of sketches is TVM's for %d kernels of %s", t.kernels, name);
    is_int(t.no_sketch, 0, "%d states of TVM in %s begin with one of our sketches", t.states, name);
    is_int(t.other_marks, 0, "our parallel, unroll and vector marks on %s states of TVM are TVM's", name);
}

int main(void)
{
    counts();
    structures();
    oracle("random", 8, 61);
    oracle("cuda", 0, 14);
    return done_testing();
}
