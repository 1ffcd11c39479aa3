/* SPDX-License-Identifier: Apache-2.0 */
/* cross_thread: the form in which a GPU runs a reduction that threads share: its loops and stores as text, and that the
 * partial results of the threads, added up one after the other, give the graph's result. Also where the storage of
 * stages is said to be. */
#include "harness/program/lower/cross_thread.h"

#include "harness/program/lower/bound.h"
#include "tests/lib/fixture.h"
#include "tests/lib/interp_nest.h"
#include "tests/lib/random_schedule.h"
#include "tests/lib/tap.h"

#include <string.h>

/* The reduce axes fused, split by a number of threads; the result in blocks over the first axis. */
static struct state *shared_reduction(struct arena *a, const struct task *t, int nreduce, int64_t threads)
{
    struct err err = {0};
    struct state *s = state_new(a, t);
    int first = s->stages[1].op->nspatial;
    bool fine = (nreduce < 2 || state_fuse(s, 1, first, nreduce, &err)) &&
                state_split(s, 1, first, &threads, 1, true, &err) &&
                state_annotate(s, 1, first + 1, ANN_THREAD_X, &err) && state_annotate(s, 1, 0, ANN_BLOCK_X, &err) &&
                bound_infer(s, &err);
    fixture_must(fine, &err);
    return s;
}

static const struct value *load(struct arena *a, const struct buffer *b, const struct affine *index)
{
    struct value *v = ARENA_NEW(a, struct value);
    *v = (struct value){.kind = EXPR_LOAD, .dtype = b->dtype, .buffer = b, .index = index};
    return v;
}

/* Threads that run one after the other: each adds its partial result to what is there. */
static int add_up(struct arena *a, struct stmt *s)
{
    int n = 0;
    if (s->across_threads) {
        struct value *sum = ARENA_NEW(a, struct value);
        const struct value **args = ARENA_ARRAY(a, const struct value *, 2);
        args[0] = load(a, s->buffer, s->index);
        args[1] = load(a, s->across_threads, s->value->index);
        *sum = (struct value){.kind = EXPR_ADD, .dtype = s->buffer->dtype, .nargs = 2, .args = args};
        s->value = sum;
        s->is_update = true;
        n++;
    }
    for (int i = 0; i < s->nbody; i++)
        n += add_up(a, s->body[i]);
    return n;
}

static void check_result(const char *spec, int nreduce, int64_t threads)
{
    struct trial_task task;
    struct rng r;
    struct err err = {0};
    struct nest *n = NULL;
    void *args[32];
    rng_seed(&r, 3);
    fixture_must(random_schedule_task(arena, spec, &r, &task, &err) &&
                     lower(arena, shared_reduction(arena, task.task, nreduce, threads), LAYOUT_NONE, &n, &err),
                 &err);
    const struct nest *across = cross_thread_nest(arena, n);
    is_int(across->nbuffers, n->nbuffers + 2, "%s: the form has two buffers more", spec);
    ok(nest_check(across, &err), "%s: the form is sound %s", spec, err.text);
    is_int(add_up(arena, across->root), 1, "%s: one store combines the threads", spec);
    random_schedule_args(arena, &task, across, args);
    memset(args[task.task->nargs - 1], 0, sizeof(float) * (size_t)task.nout);
    ok(interp_nest(across, args, 1000000, &err) && random_schedule_same(&task, args[task.task->nargs - 1], &err),
       "%s over %d threads: the partial results add up to the graph's %s", spec, (int)threads, err.text);
}

static void check_text(void)
{
    struct task *t = fixture_task(arena, "reduce n=4 m=13 by=max");
    struct err err = {0};
    struct nest *n;
    struct text got = {0};
    fixture_must(lower(arena, shared_reduction(arena, t, 1, 4), LAYOUT_NONE, &n, &err), &err);
    nest_print(cross_thread_nest(arena, n), &got);
    is_str(text_str(&got),
           "arg 0 A: float32[4, 13]\n"
           "arg 1 B: float32[4]\n"
           "blockIdx.x i < 4\n"
           "  threadIdx.x k.1 < 4\n"
           "    alloc reduce_temp: float32[1] local\n"
           "    alloc normal_reduce_temp: float32[1] local\n"
           "    normal_reduce_temp[0] = -3.4028234663852886e+38\n"
           "    for k.0 < 4\n"
           "      if k.0*4 + k.1 < 13\n"
           "        normal_reduce_temp[0] = max(normal_reduce_temp[0], A[i, k.0*4 + k.1])\n"
           "    B[i] = reduce_temp[0]\n",
           "a maximum over 13 by 4 threads, as a GPU runs it");
    text_free(&got);
    n = fixture_nest(arena, t->spec, "[]");
    ok(cross_thread_nest(arena, n) == n, "a nest without threads stays as it is");
}

/* A dense layer whose sum the threads of a block share, computed where its block's results are needed; the same with
 * that place inside of the threads; at the root. */
static void check_storage(void)
{
    static const char *const places[] = {"[\"CA\", 2, 4, 0],", "[\"CA\", 2, 4, 1],", ""};
    static const char *const want[] = {"alloc T_matmul_NT: float32[1, 4] shared",
                                       "alloc T_matmul_NT: float32[1, 1] local", "alloc T_matmul_NT: float32[1, 8]\n"};
    for (int i = 0; i < 3; i++) {
        struct text got = {0};
        const char *steps = arena_printf(
            scratch, "[[\"SP\", 4, 1, 8, [4], 1], [\"FU\", 4, [0, 1]], %s [\"AN\", 4, 0, 5], [\"AN\", 4, 1, 6]]",
            places[i]);
        nest_print(fixture_nest(scratch, "dense n=1 ci=16 co=8 bias=1", steps), &got);
        if (!ok(strstr(text_str(&got), want[i]) != NULL, "a stage %s",
                i == 0   ? "inside blocks is in shared memory"
                : i == 1 ? "inside threads is in local memory"
                         : "at the root is in global memory"))
            diag("%s", text_str(&got));
        text_free(&got);
        arena_reset(scratch);
    }
}

int main(void)
{
    check_storage();
    check_text();
    check_result("reduce n=4 m=13 by=sum", 1, 4);
    check_result("reduce n=3 h=4 m=7", 1, 2);
    return done_testing();
}
