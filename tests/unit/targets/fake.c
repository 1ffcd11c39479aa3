/* SPDX-License-Identifier: Apache-2.0 */
/* fake: the formula has its minimum where it says, is the same every time, and fails as often as asked. */
#include "harness/measure/worker.h"
#include "harness/program/lower/bound.h"
#include "tests/lib/fixture.h"
#include "tests/lib/random_schedule.h"
#include "tests/lib/tap.h"

#include <math.h>
#include <stdlib.h>

struct rig {
    const struct target *t;
    struct target_env env;
    struct limits limits;
    void *self;
    struct arena *a;
};

static struct rig rig_open(const char *settings)
{
    struct rig r = {.t = fixture_target("fake"), .a = arena_open("rig")};
    struct err err = {0};
    ok(target_begin(r.t, settings, r.a, &r.env, &r.self, &r.limits, &err), "target fake opens with settings '%s' %s",
       settings, err.text);
    return r;
}

static void rig_close(struct rig *r)
{
    r->t->close(r->self);
    arena_close(r->a);
}

/* Seconds of one call, or -1 - outcome. */
static double measure(struct rig *r, const struct task *t, const struct state *s, int number)
{
    char message[SAMPLE_MESSAGE] = "";
    struct blob object = {0};
    void *kernel = NULL;
    double seconds = 0;
    struct candidate c = {.task = t, .steps = s->steps, .nsteps = s->nsteps};
    enum outcome o = r->t->build(r->self, &c, &object, message);
    if (o == OUTCOME_OK)
        o = r->t->load(r->self, &c, &object, &kernel, message);
    if (o == OUTCOME_OK) {
        o = r->t->run(r->self, kernel, NULL, number, &seconds, message);
        r->t->drop(r->self, kernel);
    }
    free(object.bytes);
    return o == OUTCOME_OK ? seconds / number : -1.0 - o;
}

/* Tiles of a matmul by three inner lengths an axis. */
static struct state *tiled(struct arena *a, const struct task *t, const int64_t x[3], const int64_t y[3], int64_t k,
                           int64_t unroll)
{
    static const int order[] = {0, 4, 1, 5, 8, 2, 6, 9, 3, 7};
    struct err err = {0};
    struct state *s = state_new(a, t);
    bool fine = state_split(s, 2, 0, x, 3, true, &err) && state_split(s, 2, 4, y, 3, true, &err) &&
                state_split(s, 2, 8, &k, 1, true, &err) && state_reorder(s, 2, order, 10, &err) &&
                state_annotate(s, 2, 0, ANN_PARALLEL, &err) && state_annotate(s, 2, 9, ANN_VECTORIZE, &err) &&
                state_pragma_unroll(s, 2, 1, unroll, &err) && bound_infer(s, &err);
    if (!fine)
        diag("%s", err.text);
    return fine ? s : NULL;
}

/* Moves each length on its own over the divisors: without local minima this reaches the floor. */
static void test_optimum(void)
{
    static const int64_t unrolls[] = {0, 16, 64, 512};
    struct rig r = rig_open("");
    const struct task *t = fixture_task(arena, "matmul n=64 m=48 k=96");
    struct err err = {0};
    int64_t x[3] = {1, 1, 1}, y[3] = {1, 1, 1}, k = 1, unroll = 0;
    double best = INFINITY, base = t->flops / 1e11 + 1e-6;
    int64_t *moved[] = {&x[1], &x[2], &y[1], &y[2], &k};
    const int64_t extent[] = {64, 64, 48, 48, 96};
    for (int round = 0; round < 4; round++)
        for (int i = 0; i < 6; i++) {
            int64_t keep = i < 5 ? *moved[i] : unroll, most = i < 5 ? extent[i] : 4;
            for (int64_t v = 1; v <= most; v++) {
                if (i < 5 && extent[i] % v)
                    continue;
                int64_t old = i < 5 ? *moved[i] : unroll;
                if (i < 5)
                    *moved[i] = v;
                else
                    unroll = unrolls[v - 1];
                bool divides = 64 % (x[1] * x[2]) == 0 && 48 % (y[1] * y[2]) == 0;
                struct state *s = divides ? tiled(arena, t, x, y, k, unroll) : NULL;
                double got = s ? measure(&r, t, s, 1) : INFINITY;
                if (got >= 0 && got < best) {
                    best = got;
                    keep = i < 5 ? v : unroll;
                }
                if (i < 5)
                    *moved[i] = old;
                else
                    unroll = old;
            }
            if (i < 5)
                *moved[i] = keep;
            else
                unroll = keep;
        }
    is_near(best, base, 1e-9, "single moves lead to the optimum of the formula");
    struct state *plain = state_new(arena, t);
    ok(bound_infer(plain, &err) && measure(&r, t, plain, 1) > 1.5 * base,
       "the unscheduled program is far from the optimum");
    rig_close(&r);
}

static void test_noise_and_failures(void)
{
    struct rig exact = rig_open("noise=0"), noisy = rig_open("noise=0.1"), frail = rig_open("fail=0.3");
    struct arena *a = arena_open("test"), *keep = arena_open("the task of the noise test is parsed");
    const struct task *t = fixture_task(keep, "dense n=3 ci=10 co=7 bias=1 relu=1");
    struct rng rng;
    rng_seed(&rng, 5);
    int n = 300, failed = 0, same = 0, near = 0, linear = 0, moved = 0;
    for (int i = 0; i < n; i++) {
        struct state *s = random_schedule_make(a, t, &rng);
        double e = measure(&exact, t, s, 1), v = measure(&noisy, t, s, 1);
        same += e == measure(&exact, t, s, 1) && v == measure(&noisy, t, s, 1);
        linear += fabs(measure(&exact, t, s, 7) - e) <= 1e-12 * e;
        near += fabs(v / e - 1) < 0.6;
        moved += v != e;
        failed += measure(&frail, t, s, 1) < 0;
        arena_reset(a);
    }
    is_int(same, n, "the same candidate costs the same again without noise");
    is_int(linear, n, "the seconds of calls add up");
    ok(near == n && moved == n, "noise changes every time a little");
    ok(failed > 60 && failed < 120, "about 3 in 10 candidates fail where that is set (%d of %d)", failed, n);
    arena_close(a);
    arena_close(keep);
    rig_close(&exact);
    rig_close(&noisy);
    rig_close(&frail);
}

/* The elements of a map over so many threads a block, or (0) over none. */
static struct state *bound(struct arena *a, const struct task *t, int64_t threads)
{
    struct err err = {0};
    struct state *s = state_new(a, t);
    bool fine =
        state_fuse(s, 1, 0, 2, &err) &&
        (!threads || (state_split(s, 1, 0, &threads, 1, true, &err) && state_annotate(s, 1, 0, ANN_BLOCK_X, &err) &&
                      state_annotate(s, 1, 1, ANN_THREAD_X, &err))) &&
        bound_infer(s, &err);
    if (!fine)
        diag("%s", err.text);
    return fine ? s : NULL;
}

static void test_gpu(void)
{
    struct rig r = rig_open("gpu=true");
    const struct task *t = fixture_task(arena, "map n=64 c=128 by=relu");
    ok(r.limits.is_gpu && r.limits.warp_size == 32 && r.limits.cores == -1, "with gpu=true it has the limits of CUDA");
    double best = INFINITY, worst = 0;
    for (int64_t threads = 32; threads <= 1024; threads *= 2) {
        double seconds = measure(&r, t, bound(arena, t, threads), 1);
        best = seconds < best ? seconds : best;
        worst = seconds > worst ? seconds : worst;
    }
    ok(best > 0 && best < worst, "on the GPU the number of threads matters");
    ok(measure(&r, t, bound(arena, t, 0), 1) > best, "on the GPU a program without threads is slow");
    ok(measure(&r, t, bound(arena, t, 2048), 1) == -1.0 - OUTCOME_INVALID, "a block of 2048 threads is invalid");
    rig_close(&r);
}

int main(void)
{
    test_optimum();
    test_gpu();
    test_noise_and_failures();
    struct rig r = rig_open("");
    ok(r.t->is_virtual, "target fake is virtual");
    is_int(r.limits.vector_bytes, 64, "target fake has the limits of a CPU");
    rig_close(&r);
    return done_testing();
}
