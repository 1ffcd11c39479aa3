/* SPDX-License-Identifier: Apache-2.0 */
/* reindex: step RI makes products of matrices of convolutions, with the names, extents and roles of axes that it says;
 * what is no such product is refused in so many words; and what is read through fused loops is exactly what they run
 * over. That the results stay the same is for schedule_property and trace_tensor. */
#include "harness/program/schedule/reindex.h"

#include "harness/program/ir/dag_make.h"
#include "harness/program/lower/bound.h"
#include "harness/program/schedule/schedule.h"
#include "tests/lib/fixture.h"
#include "tests/lib/tap.h"

#include <string.h>

static int stage_named(const struct dag *d, const char *name)
{
    for (int i = 0; i < d->nops; i++)
        if (str_eq(d->ops[i]->name, name))
            return i;
    bug("no stage '%s'", name);
}

static const char *text_of(const struct state *s)
{
    struct text t = {0};
    state_print(s, &t);
    return fixture_text(&t);
}

static void prints(const char *spec, const char *stage, int64_t tile, const char *want, const char *name)
{
    struct err err = {0};
    const struct task *t = fixture_task(arena, spec);
    struct state *s = state_new(arena, t);
    bool fine = state_reindex(s, stage_named(t->dag, stage), tile, &err) && bound_infer(s, &err);
    is_str(fine ? text_of(s) : err.text, want, "%s", name);
}

static void test_loops(void)
{
    prints("conv2d n=2 ci=5 hi=4 wi=6 co=20 kh=3 kw=2 ph=1 layout=nhwc dtype=float16", "conv2d_nhwc", 16,
           "Placeholder: p0, p1\n"
           "for i0 (0,2)\n  for i1 (0,6)\n    for i2 (0,6)\n      for i3 (0,5)\n        pad_temp = ...\n"
           "for m (0,40)\n  for k (0,32)\n    pad_temp_reindex = ...\n"
           "for k (0,32)\n  for n (0,20)\n    p1_reindex = ...\n"
           "for m (0,40)\n  for n (0,20)\n    for k (0,32)\n      conv2d_nhwc_reindex = ...\n"
           "for nn (0,2)\n  for yy (0,4)\n    for xx (0,5)\n      for ff (0,20)\n        conv2d_nhwc = ...\n",
           "rows are pixels, columns output channels, as many as are read; the 30 sums are rounded up");
    prints("batch_matmul b=3 n=4 m=5 k=6", "T_batch_matmul_NT", 1,
           "Placeholder: p0, p1\n"
           "for b0 (0,3)\n  for m (0,4)\n    for k (0,6)\n      p0_reindex = ...\n"
           "for b0 (0,3)\n  for k (0,6)\n    for n (0,5)\n      p1_reindex = ...\n"
           "for b0 (0,3)\n  for m (0,4)\n    for n (0,5)\n      for k (0,6)\n        T_batch_matmul_NT_reindex = ...\n"
           "for b (0,3)\n  for i (0,4)\n    for j (0,5)\n      T_batch_matmul_NT = ...\n",
           "an axis of all three tensors is of the batch, and a tile of 1 pads nothing");
}

/* The extents of stages, which are tensors, are whole tiles whoever reads them. */
static void test_shapes(void)
{
    struct err err = {0};
    const struct dag *d;
    const struct task *t =
        fixture_task(arena, "conv2d n=2 ci=5 hi=4 wi=6 co=20 kh=3 kw=2 ph=1 layout=nchw dtype=float16");
    fixture_must(rewrite_reindex(t->dag, 3, 16, &d, &err), &err);
    const struct op *p = d->ops[5], *a = d->ops[3], *b = d->ops[4];
    ok(p->axes[0].extent == 48 && p->axes[1].extent == 32 && p->axes[2].extent == 32 && p->dtype == DTYPE_F32,
       "the product has 48 rows (40), 32 columns (20) and sums of 32 (30), in float32");
    ok(a->axes[0].extent == 48 && a->axes[1].extent == 32 && b->axes[0].extent == 32 && b->axes[1].extent == 32 &&
           a->dtype == DTYPE_F16 && b->dtype == DTYPE_F16,
       "both factors have the same extents, in float16");
    ok(d->ops[6]->id == t->dag->ops[3]->id, "the result keeps its id");
}

static void refused(const char *spec, const char *stage, int64_t tile, const char *want)
{
    struct err err = {0};
    const struct task *t = fixture_task(arena, spec);
    struct state *s = state_new(arena, t);
    bool fine = state_reindex(s, stage_named(t->dag, stage), tile, &err);
    ok(!fine && strstr(err.text, want), "%s: %s", spec, err.text);
}

static void test_refused(void)
{
    refused("pool2d c=4 hi=8 wi=8 kh=2 kw=2 pool=max layout=nchw", "pool_max", 16, "no sum of products");
    refused("conv2d ci=8 hi=8 wi=8 co=8 kh=3 kw=3 groups=2 layout=nhwc", "group_conv2d_nhwc", 16,
            "no product of matrices");
    refused("depthwise_conv2d ci=8 hi=8 wi=8 kh=3 kw=3 layout=nhwc", "DepthwiseConv2d", 16, "no product of matrices");
    refused("matmul n=4 m=4 k=4", "C", 0, "with tiles of 0");
    refused("matmul n=4 m=4 k=4", "A", 16, "placeholder");
    struct err err = {0};
    struct state *s = state_new(arena, fixture_task(arena, "matmul n=4 m=4 k=4"));
    bool split = state_split(s, 2, 0, (const int64_t[]){2}, 1, true, &err);
    ok(split && !state_reindex(s, 2, 16, &err) && strstr(err.text, "has been split or fused before"), "%s", err.text);
}

/* The last stage fuses its axes and cuts 5 turns off; so many rows of the product are needed, not whole images. */
static void test_fused_range(void)
{
    struct err err = {0};
    const struct task *t = fixture_task(arena, "conv2d n=2 ci=4 hi=5 wi=6 co=4 kh=1 kw=1 layout=nhwc");
    struct state *s = state_new(arena, t);
    bool fine = state_reindex(s, 3, 1, &err) && state_fuse(s, 6, 0, 3, &err) &&
                state_split(s, 6, 0, (const int64_t[]){5}, 1, true, &err) && state_compute_at(s, 5, 6, 0, &err) &&
                bound_infer(s, &err);
    int64_t rows = fine ? s->stages[5].vars[0].extent : -1;
    is_int(rows, 5, "a part of three fused loops reads as many rows %s", err.text);
}

/* B(x, y) = A(x*by + y), y of 2, both loops fused and the pair cut in 4: what is read of A. */
static int64_t read_of(int64_t by)
{
    struct err err = {0};
    const struct dag *d;
    const struct expr *x = expr_axis(arena, 0), *y = expr_axis(arena, 1);
    const struct expr *at = expr_make2(arena, EXPR_ADD, expr_make2(arena, EXPR_MUL, x, expr_int(arena, by)), y);
    const struct axis one[] = {{"i", 64}}, two[] = {{"x", 12}, {"y", 2}};
    const struct op ops[] = {
        {.id = 0, .name = "P", .nspatial = 1, .axes = one, .dtype = DTYPE_F32, .scope = "", .tag = ""},
        {.id = 1,
         .kind = OP_COMPUTE,
         .name = "A",
         .nspatial = 1,
         .axes = one,
         .dtype = DTYPE_F32,
         .scope = "",
         .tag = "",
         .flop_override = -1,
         .body = expr_load(arena, 0, DTYPE_F32, 1, &x)},
        {.id = 2,
         .kind = OP_COMPUTE,
         .name = "B",
         .nspatial = 2,
         .axes = two,
         .dtype = DTYPE_F32,
         .scope = "",
         .tag = "",
         .flop_override = -1,
         .body = expr_load(arena, 1, DTYPE_F32, 1, &at)},
    };
    const struct op *list[] = {&ops[0], &ops[1], &ops[2]};
    fixture_must(dag_make(arena, list, 3, 3, &d, &err), &err);
    struct task t = {.spec = "", .name = "", .dag = d};
    struct state *s = state_new(arena, &t);
    fixture_must(state_fuse(s, 2, 0, 2, &err) && state_split(s, 2, 0, (const int64_t[]){4}, 1, true, &err) &&
                     state_compute_at(s, 1, 2, 0, &err) && bound_infer(s, &err),
                 &err);
    return s->stages[1].vars[0].extent;
}

static void test_other_index(void)
{
    is_int(read_of(2), 4, "x*2 + y of the fused loop of x and y of 2 is that loop");
    is_int(read_of(3), 5, "x*3 + y is not: two rows of 2, 3 apart");
}

int main(void)
{
    test_loops();
    test_shapes();
    test_refused();
    test_fused_range();
    test_other_index();
    return done_testing();
}
