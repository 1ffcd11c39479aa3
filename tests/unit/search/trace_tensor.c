/* SPDX-License-Identifier: Apache-2.0 */
/* trace_tensor: the design space for tensor cores. It is there for products of float16, convolutions included, and for
 * nothing else; its programs compute what the graph computes (the interpreter runs their blocks), and are found again
 * from their steps. Blocks stand where the rule wants them, whole ones also where the extents are padded. */
#include "harness/program/lower/lower.h"
#include "search/trace/trace_mutator.h"
#include "search/trace/trace_space.h"
#include "tests/lib/fixture.h"
#include "tests/lib/random_schedule.h"
#include "tests/lib/share_test.h"
#include "tests/lib/tap.h"

/* Warps of 2 threads, so that there is less to interpret. */
static struct limits narrow(void)
{
    struct limits l = limits_cuda();
    l.warp_size = 2;
    return l;
}

static void check_presence(void)
{
    static const struct {
        const char *spec;
        bool tensor;
    } CASES[] = {
        {"matmul n=64 m=32 k=48 dtype=float16", true},
        {"matmul n=64 m=32 k=48 relu=1 dtype=float16", true},
        {"dense n=16 ci=64 co=32 bias=1 relu=1 dtype=float16", true},
        {"dense n=16 ci=64 co=32 bias=1 scale=1 add=1 clip=1 dtype=float16", true},
        {"batch_matmul b=3 n=32 m=16 k=16 dtype=float16", true},
        {"matmul n=64 m=32 k=40 dtype=float16", true},
        {"dense n=1 ci=64 co=32 dtype=float16", true},
        {"conv2d ci=16 hi=8 wi=8 co=32 kh=3 kw=3 ph=1 pw=1 layout=nhwc bias=1 relu=1 dtype=float16", true},
        {"conv2d ci=3 hi=30 wi=30 co=10 kh=7 kw=7 sh=2 sw=2 ph=3 pw=3 layout=nchw dtype=float16", true},
        {"conv2d ci=32 hi=7 wi=7 co=32 kh=1 kw=1 cib=16 cob=16 bias=1 add=1 relu=1 dtype=float16", true},
        {"conv3d ci=4 di=4 hi=8 wi=8 co=8 kd=3 kh=3 kw=3 pd=1 ph=1 pw=1 layout=ndhwc dtype=float16", true},
        {"matmul n=64 m=32 k=48", false},
        {"conv2d ci=16 hi=8 wi=8 co=32 kh=3 kw=3 ph=1 pw=1 layout=nhwc", false},
        {"conv2d ci=16 hi=8 wi=8 co=32 kh=3 kw=3 ph=1 pw=1 layout=nhwc groups=2 dtype=float16", false},
        {"matmul n=64 m=64 k=64 chain=1 dtype=float16", false},
        {"softmax n=16 c=16", false},
    };
    struct limits cuda = limits_cuda(), cpu = limits_cpu(8);
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        struct trace_space ts, on_cpu;
        const struct task *t = fixture_task(arena, CASES[i].spec);
        int n = 0;
        share_test_open(&ts, arena, t, &cuda);
        share_test_open(&on_cpu, arena, t, &cpu);
        for (int k = 0; k < ts.space.nsketches; k++)
            n += ts.layouts[k].tensor;
        for (int k = 0; k < on_cpu.space.nsketches; k++)
            n += 10 * on_cpu.layouts[k].tensor;
        ok(n == CASES[i].tensor && ts.space.nsketches > n, "%s: %s design space for tensor cores beside %d others",
           CASES[i].spec, n ? "a" : "no", ts.space.nsketches - n);
    }
}

static bool found_again(const struct trace_space *ts, const struct state *s)
{
    struct trace t;
    struct step *steps = steps_copy(scratch, s->steps, s->nsteps);
    if (!trace_find(ts, scratch, steps, s->nsteps, &t))
        return false;
    struct state *again = trace_replay(ts, scratch, &t, NULL, NULL, NULL);
    return again && state_hash(again) == state_hash(s) && ts->layouts[t.layout].tensor;
}

/* Whether a block begins at a multiple of 16 of the tensor's rows, and these are multiples of 16 long: hardware wants
 * every row of a block on a boundary of 16 bytes, and the first on one of 32. Fragments are in registers. */
static bool is_aligned(struct atoms *p, const struct stmt *block, const struct buffer *b, const struct affine *index)
{
    int last = b->ndim - 1;
    if (str_starts(b->scope, "wmma."))
        return true;
    struct affine f = affine_sub(p, index[last], b->min[last]);
    for (const struct stmt *s = block; s->kind == STMT_LOOP; s = s->body[0])
        if (affine_uses(p, f, s->atom))
            f = affine_sub(p, f, affine_atom(p, s->atom));
    return b->extent[last] % TENSOR_TILE == 0 && affine_divisor(p, f, TENSOR_TILE) == TENSOR_TILE;
}

struct blocks {
    int loops[4]; /* blocks with so many loops of 16, them included; 0: others */
    int crooked;  /* blocks not aligned in memory */
};

static void count_blocks(struct atoms *p, const struct stmt *s, struct blocks *b)
{
    if (s->kind == STMT_LOOP && s->loop == ANN_TENSORIZE) {
        const struct stmt *block = s;
        int n = 0;
        for (; s->kind == STMT_LOOP && s->extent == TENSOR_TILE; s = s->body[0])
            n++;
        b->loops[s->kind == STMT_STORE && n < 4 ? n : 0]++;
        if (s->kind == STMT_STORE && n == 2)
            b->crooked += !is_aligned(p, block, s->buffer, s->index) ||
                          (s->value->kind == EXPR_LOAD && !is_aligned(p, block, s->value->buffer, s->value->index));
        return;
    }
    for (int i = 0; i < s->nbody; i++)
        count_blocks(p, s->body[i], b);
}

static void check_programs(const char *spec)
{
    enum { PROGRAMS = 25 };
    struct limits limits = narrow();
    struct trace_space ts;
    struct trial_task t;
    struct rng r;
    struct err err = {0};
    int right = 0, wrong = 0, lost = 0, odd = 0, crooked = 0, mutated = 0;
    rng_seed(&r, 9);
    fixture_must(random_schedule_task(arena, spec, &r, &t, &err), &err);
    share_test_open(&ts, arena, t.task, &limits);
    struct trace one = trace_fresh(&ts, arena, 0), child;
    for (int i = 0; i < PROGRAMS; i++, arena_reset(scratch)) {
        struct nest *n;
        struct blocks blocks = {{0}, 0};
        if (i % 2 == 0)
            one = trace_fresh(&ts, arena, 0);
        else if (trace_mutator_draw(&ts, &r)->apply(&ts, arena, scratch, &r, &one, &child)) {
            one = child;
            mutated++;
        }
        struct state *s = trace_replay(&ts, scratch, &one, &r, NULL, &err);
        bool done, fine = s && random_schedule_run(scratch, &t, s, LAYOUT_NONE, 0, &done, &err);
        if (fine && lower(scratch, s, LAYOUT_NONE, &n, &err))
            count_blocks(n->atoms, n->root, &blocks);
        right += fine;
        wrong += !fine;
        if (!fine && wrong < 3 && s)
            random_schedule_show(s, err.text);
        else if (!fine)
            diag("%s", err.text);
        odd += !(blocks.loops[0] == 0 && blocks.loops[2] == 4 && blocks.loops[3] == 1);
        crooked += blocks.crooked;
        lost += s && !found_again(&ts, s);
    }
    is_int(right, PROGRAMS, "%s: programs in blocks compute what the graph computes", spec);
    is_int(odd, 0, "two loads, a start, a store of 16x16 and a product of 16x16x16 are in each of them");
    is_int(crooked, 0, "each of them stands in shared memory where hardware can read it");
    is_int(lost, 0, "the steps of programs for tensor cores are found to be traces again");
    ok(mutated > 3, "%d of the traces were mutated", mutated);
}

int main(void)
{
    check_presence();
    check_programs("matmul n=64 m=32 k=48 dtype=float16");
    check_programs("dense n=32 ci=64 co=32 bias=1 relu=1 dtype=float16");
    check_programs("batch_matmul b=2 n=32 m=48 k=32 dtype=float16");
    check_programs("batch_matmul b=2 n=20 m=33 k=18 dtype=float16");
    check_programs("dense n=1 ci=40 co=50 bias=1 dtype=float16");
    check_programs("conv2d ci=16 hi=8 wi=8 co=16 kh=3 kw=3 ph=1 pw=1 layout=nhwc bias=1 relu=1 dtype=float16");
    check_programs("conv2d n=2 ci=16 hi=8 wi=6 co=32 kh=1 kw=1 sh=2 sw=1 layout=nhwc add=1 dtype=float16");
    check_programs("conv2d n=2 ci=5 hi=7 wi=9 co=20 kh=3 kw=2 dw=2 ph=1 pw=0,1 layout=nhwc relu=1 dtype=float16");
    check_programs("conv2d n=2 ci=5 hi=7 wi=9 co=20 kh=3 kw=2 sw=2 ph=1 layout=nchw bias=1 dtype=float16");
    check_programs("conv2d ci=32 hi=7 wi=7 co=32 kh=1 kw=1 cib=16 cob=16 bias=1 add=1 relu=1 dtype=float16");
    check_programs("conv3d ci=3 di=3 hi=4 wi=5 co=8 kd=2 kh=3 kw=3 ph=1 pw=1 layout=ncdhw dtype=float16");
    return done_testing();
}
