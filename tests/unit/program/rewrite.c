/* SPDX-License-Identifier: Apache-2.0 */
/* CHR, CHW and RF on dags: the names of TVM's printed states (data/tvm_oracle), the attributes, the values, which must
 * stay those of the graph before, and the cache under several threads. */
#include "harness/program/schedule/rewrite.h"
#include "harness/base/pool.h"
#include "harness/base/rng.h"
#include "harness/program/interp/interp.h"
#include "harness/program/ir/dag_print.h"
#include "tests/lib/fixture.h"
#include "tests/lib/tap.h"

#include <math.h>

static const char *line(struct arena *a, const struct dag *d, int position)
{
    struct text t = {0};
    op_print(d, d->ops[position], &t);
    const char *s = arena_str(a, text_str(&t));
    text_free(&t);
    return s;
}

static double *values(struct arena *a, const struct task *t, const struct dag *d)
{
    struct task with = *t;
    struct rng rng;
    const void *args[16];
    with.dag = d;
    rng_seed(&rng, 3);
    for (int i = 0; i < t->nargs - 1; i++) {
        int64_t n = task_arg_elements(t, i);
        float *x = ARENA_ARRAY(a, float, n);
        for (int64_t k = 0; k < n; k++)
            x[k] = (float)((int)rng_below(&rng, 33) - 16) / 8;
        args[i] = x;
    }
    double *out = ARENA_ARRAY(a, double, task_arg_elements(t, t->nargs - 1));
    struct interp *in = interp_open(&with, args);
    interp_dag(in, out);
    interp_close(in);
    return out;
}

static void same_values(struct arena *a, const struct task *t, const struct dag *d, const char *what)
{
    const double *x = values(a, t, t->dag), *y = values(a, t, d);
    int64_t n = task_arg_elements(t, t->nargs - 1), wrong = 0;
    for (int64_t i = 0; i < n; i++)
        wrong += !(fabs(x[i] - y[i]) <= 1e-12 * (1 + fabs(x[i])));
    is_int(wrong, 0, "the values stay the same after %s", what);
}

static void check_cache_write(struct arena *a)
{
    struct task *t = fixture_task(a, "conv2d ci=8 hi=5 wi=5 co=8 kh=3 kw=3 ph=1 pw=1 cib=4 cob=4 bias=1");
    const struct dag *d;
    struct err err = {0};
    ok(rewrite_cache_write(t->dag, 3, "local", &d, &err), "CHW applies to a convolution");
    is_int(d->nops, t->dag->nops + 1, "CHW adds one stage");
    is_str(line(a, d, 3),
           "conv2d_NCHWc.local(n_c, oc_chunk_c, oh_c, ow_c, oc_block_c) += (data_pad[0, floordiv(ic, 4), (oh_c + kh), "
           "(ow_c + kw), floormod(ic, 4)]*p1[oc_chunk_c, floordiv(ic, 4), kh, kw, floormod(ic, 4), oc_block_c])",
           "the stage that CHW adds computes the convolution");
    is_str(line(a, d, 4),
           "conv2d_NCHWc(n, oc_chunk, oh, ow, oc_block) = conv2d_NCHWc.local[n, oc_chunk, oh, ow, oc_block]",
           "the old stage copies from the one that CHW added");
    is_int(d->ops[4]->id, t->dag->ops[3]->id, "the old stage keeps its id after CHW");
    is_int(d->ops[3]->nrewritten, 1, "after CHW the new stage names the weight that may be re-laid-out");
    is_int(d->ops[4]->nrewritten, 0, "after CHW the old stage names no weight");
    is_str(d->ops[3]->scope, "local", "the stage that CHW adds has the scope asked for");
    ok(d->analysis[3].needs_tiling && !d->analysis[4].needs_tiling, "after CHW the dag is analysed again");
    ok(d->flops == t->dag->flops, "the copy that CHW leaves adds no FLOP");
    same_values(a, t, d, "CHW");
    ok(!rewrite_cache_write(t->dag, 0, "local", &d, &err), "CHW of a placeholder is refused: %s", err.text);
    ok(!rewrite_cache_write(t->dag, 99, "local", &d, &err), "CHW of no stage is refused: %s", err.text);
}

static void check_cache_read(struct arena *a)
{
    struct task *t = fixture_task(a, "softmax n=3 c=10");
    const struct dag *d, *again, *both;
    struct err err = {0};
    ok(rewrite_cache_read(t->dag, 0, "shared", (const int[]){2}, 1, &d, &err), "CHR applies for one of two readers");
    is_str(line(a, d, 1), "p0.shared(ax0, ax1) = p0[ax0, ax1]", "CHR adds a copy of the tensor");
    is_str(line(a, d, 2), "T_softmax_maxelem(i0) max= p0[i0, k]",
           "the reader that CHR does not name reads the original");
    is_str(line(a, d, 3), "T_softmax_exp(i0, i1) = tir.exp((p0.shared[i0, i1] - T_softmax_maxelem[i0]))",
           "the reader that CHR names reads the copy");
    same_values(a, t, d, "CHR for one reader");
    ok(rewrite_cache_read(t->dag, 0, "shared", (const int[]){2}, 1, &again, &err) && again == d,
       "the same CHR gives the same dag");
    ok(rewrite_cache_read(t->dag, 0, "local", (const int[]){2}, 1, &again, &err) && again != d,
       "CHR with another scope gives another dag");
    ok(rewrite_cache_read(t->dag, 0, "shared", (const int[]){1, 2}, 2, &both, &err) && both != d,
       "CHR with other readers gives another dag");
    is_str(line(a, both, 2), "T_softmax_maxelem(i0) max= p0.shared[i0, k]", "CHR for both readers changes both");
    ok(rewrite_cache_read(d, 1, "local", (const int[]){3}, 1, &again, &err), "CHR applies to a copy");
    is_str(line(a, again, 2), "p0.shared.local(ax0, ax1) = p0.shared[ax0, ax1]", "CHR of a copy copies the copy");
    same_values(a, t, again, "CHR twice");
    ok(!rewrite_cache_read(t->dag, 0, "shared", (const int[]){4}, 1, &d, &err),
       "CHR for a stage that does not read is refused: %s", err.text);
}

/* Names and bodies as in the printed states of pool_max.rf and T_softmax_maxelem.rf. */
static void check_rfactor(struct arena *a)
{
    struct task *t = fixture_task(a, "pool2d c=8 hi=7 wi=7 cb=4 kh=3 kw=3 sh=2 sw=2 pool=max");
    const struct dag *d;
    struct err err = {0};
    const int both[] = {5, 6};
    struct rf_split s = {
        .factor_axis = 5, .outer = 3, .inner = 3, .keep_outer = false, .reduce_axes = both, .nreduce_axes = 2};
    ok(rewrite_rfactor(t->dag, 1, &s, &d, &err), "RF over both reduce axes applies");
    is_str(line(a, d, 1),
           "pool_max.rf(ax0, ax1, ax2, ax3, ax4, rv0_rv1_fused_i) max= p0[ax0, ax1, ((ax2*2) + "
           "floordiv(((rv0_rv1_fused_o*3) + rv0_rv1_fused_i), 3)), ((ax3*2) + floormod(((rv0_rv1_fused_o*3) + "
           "rv0_rv1_fused_i), 3)), ax4]",
           "the partial result of RF has the inner part as an axis");
    is_str(line(a, d, 2),
           "pool_max.repl(ax0, ax1, ax2, ax3, ax4) max= pool_max.rf[ax0, ax1, ax2, ax3, ax4, rv0_rv1_fused_i_v]",
           "the final result of RF sums over that axis");
    is_int(d->ops[2]->id, t->dag->ops[1]->id, "the final result of RF keeps the stage's id");
    same_values(a, t, d, "RF that keeps the inner part");
    s.keep_outer = true;
    s.inner = 4;
    s.guard = true;
    ok(rewrite_rfactor(t->dag, 1, &s, &d, &err), "RF with a factor that does not divide applies");
    is_str(d->ops[1]->axes[5].name, "rv0_rv1_fused_o", "RF can keep the outer part as the axis");
    is_int(d->ops[1]->body->kind, EXPR_IF, "RF guards a factor that does not divide");
    same_values(a, t, d, "RF with a guard");
    s.guard = false;
    ok(!rewrite_rfactor(t->dag, 1, &s, &d, &err), "RF without the guard that is needed is refused: %s", err.text);
    s.factor_axis = 0;
    s.inner = 3;
    ok(rewrite_rfactor(t->dag, 1, &s, &d, &err), "RF can put the new axis first");
    same_values(a, t, d, "RF with the new axis first");
    t = fixture_task(a, "reduce n=0 m=24 by=sum");
    s = (struct rf_split){
        .factor_axis = 0, .outer = 1, .inner = 24, .reduce_axes = (const int[]){0}, .nreduce_axes = 1};
    ok(rewrite_rfactor(t->dag, 1, &s, &d, &err), "RF applies to a reduction to a scalar");
    is_str(line(a, d, 1), "B.rf(k_i) += A[k_i]", "RF counts a part of extent 1 as 0");
    same_values(a, t, d, "RF to a scalar");
    t = fixture_task(a, "conv2d ci=8 hi=5 wi=5 co=8 kh=3 kw=2 cib=4 cob=4");
    s = (struct rf_split){.factor_axis = 5,
                          .outer = 2,
                          .inner = 3,
                          .keep_outer = true,
                          .reduce_axes = (const int[]){6, 7},
                          .nreduce_axes = 2};
    ok(rewrite_rfactor(t->dag, 2, &s, &d, &err), "RF applies to two of three reduce axes");
    is_str(d->ops[2]->axes[6].name, "ic", "the reduce axis that RF leaves comes first");
    is_int(d->ops[2]->nrewritten, 1, "after RF the partial result names the weight that may be re-laid-out");
    same_values(a, t, d, "RF over two of three axes");
}

struct race {
    const struct task *t;
    const struct dag *got[64];
};

static void ask(void *ctx, int item, int thread)
{
    struct race *r = ctx;
    const struct dag *d = NULL;
    struct err err;
    const int axis[] = {2};
    struct rf_split s = {
        .factor_axis = 2, .outer = 512 >> (item % 8), .inner = 1 << (item % 8), .reduce_axes = axis, .nreduce_axes = 1};
    (void)thread;
    if (rewrite_rfactor(r->t->dag, 2, &s, &d, &err) && rewrite_cache_write(d, 3, "local", &d, &err))
        r->got[item] = d;
}

static void check_threads(struct arena *a)
{
    struct race r = {.t = fixture_task(a, "matmul n=8 m=8 k=512")};
    struct pool *p = pool_open(4);
    pool_for(p, 64, ask, &r);
    pool_close(p);
    int right = 0;
    for (int i = 0; i < 64; i++)
        right += r.got[i] && r.got[i] == r.got[i % 8] && (i % 8 == 0 || r.got[i] != r.got[i - 1]);
    is_int(right, 64, "four threads that ask for eight rewrites get the same eight dags");
}

int main(void)
{
    check_cache_write(arena);
    check_cache_read(arena);
    check_rfactor(arena);
    check_threads(arena);
    return done_testing();
}
