/* SPDX-License-Identifier: Apache-2.0 */
/* mutate: what each mutation may change, and that drawn and mutated programs of small kernels compute
 * what the unscheduled graph computes. How often they do what is in mutation_shares.c. */
#include "search/evolution/mutate.h"
#include "tests/lib/fixture.h"
#include "tests/lib/random_schedule.h"
#include "tests/lib/share_test.h"
#include "tests/lib/tap.h"

#include <string.h>

static const char conv[] = "conv2d n=1 ci=8 hi=14 wi=14 co=16 kh=3 kw=3 ph=1 pw=1 cib=4 cob=8 bias=1 relu=1";

static int64_t product(const struct step *s)
{
    int64_t p = 1;
    for (int i = 0; i < s->n; i++)
        p *= s->list[i];
    return p;
}

static bool same_but_for(const struct step *x, const struct step *y, bool list, bool value, bool iter)
{
    if (x->kind != y->kind || x->stage != y->stage || x->extent != y->extent || x->flag != y->flag)
        return false;
    if (!list && (x->n != y->n || (x->n && memcmp(x->list, y->list, sizeof *x->list * (size_t)x->n) != 0)))
        return false;
    return (value || x->value == y->value) && (iter || (x->iter == y->iter && x->target == y->target));
}

/* Number of differing steps; *at the last one. */
static int differences(struct genome a, struct genome b, int *at)
{
    int n = 0;
    for (int i = 0; i < a.n && i < b.n; i++)
        if (!same_but_for(&a.steps[i], &b.steps[i], false, false, false)) {
            n++;
            *at = i;
        }
    return a.n == b.n ? n : 1000;
}

static void tile_sizes(void)
{
    struct space sp;
    struct rng r;
    int at = -1, bad = 0, done = 0;
    share_test_space(&sp, arena, conv, 4);
    rng_seed(&r, 12);
    for (int i = 0; i < 2000; i++) {
        struct genome parent = share_test_genome(&sp, arena, scratch, &r), child;
        if (!share_test_mutation("tile size")->apply(&sp, scratch, scratch, &r, parent, &child))
            continue;
        done++;
        bool good = differences(parent, child, &at) == 1 && child.steps[at].kind == STEP_SP &&
                    same_but_for(&parent.steps[at], &child.steps[at], true, false, false) &&
                    child.steps[at].extent % product(&child.steps[at]) == 0 &&
                    child.steps[at].list[child.steps[at].n - 1] <= 64;
        int moved = 0;
        for (int k = 0; good && k < child.steps[at].n; k++)
            moved += child.steps[at].list[k] != parent.steps[at].list[k];
        bad += !good || moved < 1 || moved > 2;
        arena_reset(scratch);
    }
    ok(done > 1900, "tile size mutations succeed for %d of 2000 programs", done);
    is_int(bad, 0, "a tile size mutation moves a factor between two parts of one split and keeps the cap");
}

static void cap(void)
{
    struct space sp;
    struct rng r;
    int over = 0, shrunk = 0;
    share_test_space(&sp, arena, "dense n=4 ci=4 co=4096", 4);
    sp.options.max_innermost = 16;
    rng_seed(&r, 13);
    const int64_t wide[] = {2, 2, 16};
    struct step split = {.kind = STEP_SP, .stage = 2, .iter = 1, .extent = 4096, .list = wide, .n = 3, .flag = true};
    struct genome parent = {&split, 1}, child;
    for (int i = 0; i < 500; i++) {
        if (!share_test_mutation("tile size")->apply(&sp, scratch, scratch, &r, parent, &child))
            continue;
        over += child.steps[0].list[2] > 16;
        shrunk += child.steps[0].list[2] < 16;
        arena_reset(scratch);
    }
    is_int(over, 0, "a tile size mutation does not bring the innermost part over the cap");
    ok(shrunk > 0, "a tile size mutation may shrink the innermost part");
    const int64_t wider[] = {2, 2, 32};
    split.list = wider;
    ok(!share_test_mutation("tile size")->apply(&sp, scratch, scratch, &r, parent, &child),
       "a tile size mutation leaves splits over the cap alone");
}

static void location_and_parallel(void)
{
    struct space sp;
    struct rng r;
    int moved = 0, bad_move = 0, refused = 0, fused = 0, bad_fuse = 0, at = 0;
    share_test_space(&sp, arena, conv, 4);
    rng_seed(&r, 15);
    for (int i = 0; i < 2000; i++) {
        struct genome parent = share_test_genome(&sp, arena, scratch, &r), child;
        struct state *s;
        if (share_test_mutation("compute location")->apply(&sp, scratch, scratch, &r, parent, &child)) {
            int n = differences(parent, child, &at);
            moved++;
            bad_move += n > 1 || (n == 1 && child.steps[at].kind != STEP_CA);
            refused += space_state(&sp, scratch, child.steps, child.n, NULL, NULL) == NULL;
        }
        if (share_test_mutation("parallel")->apply(&sp, scratch, scratch, &r, parent, &child)) {
            int n = 0;
            for (int k = 0; k < child.n; k++)
                n += child.steps[k].kind == STEP_FU && child.steps[k].n != parent.steps[k].n;
            fused++;
            bad_fuse += n != 1 || !state_replay(scratch, sp.task, child.steps, child.n, &s, NULL);
        }
        arena_reset(scratch);
    }
    ok(moved > 100, "location mutations find something to move in %d of 2000 programs (%d of them then invalid)", moved,
       refused);
    is_int(bad_move, 0, "a location mutation changes one CA step only");
    ok(fused > 500, "parallel mutations succeed for %d of 2000 programs", fused);
    is_int(bad_fuse, 0, "a parallel mutation gives one fuse another length, and the steps apply");
}

/* Lowers, runs and compares one candidate; 0 equal, 1 different, -1 invalid. */
static int check_candidate(const struct space *sp, const struct trial_task *t, struct genome g)
{
    struct err err = {0};
    bool done;
    struct state *s = space_state(sp, scratch, g.steps, g.n, NULL, NULL);
    if (!s || random_schedule_run(scratch, t, s, LAYOUT_REWRITTEN, 0, &done, &err))
        return s ? 0 : -1;
    random_schedule_show(s, err.text);
    return 1;
}

static void equal_results(const char *spec)
{
    struct rng r;
    struct trial_task t;
    struct err err = {0};
    struct space sp;
    int wrong = 0, invalid = 0, checked = 0;
    rng_seed(&r, 16);
    fixture_must(random_schedule_task(arena, spec, &r, &t, &err), &err);
    share_test_space(&sp, arena, spec, 4);
    for (int i = 0; i < 40; i++) {
        struct genome g = share_test_genome(&sp, arena, scratch, &r), child;
        for (int k = 0; k < 4; k++) {
            int verdict = check_candidate(&sp, &t, g);
            wrong += verdict > 0;
            invalid += verdict < 0;
            checked++;
            if (mutation_draw(&sp, &r)->apply(&sp, arena, scratch, &r, g, &child))
                g = child;
            arena_reset(scratch);
        }
    }
    is_int(wrong, 0, "%s: %d drawn and mutated programs compute the graph (%d invalid)", spec, checked - invalid,
           invalid);
}

int main(void)
{
    tile_sizes();
    cap();
    location_and_parallel();
    equal_results("dense n=4 ci=12 co=6 bias=1 relu=1");
    equal_results("dense n=2 ci=64 co=2");
    equal_results("conv2d n=1 ci=4 hi=7 wi=7 co=8 kh=3 kw=3 ph=1 pw=1 cib=2 cob=4 bias=1 relu=1");
    equal_results("conv2d n=1 ci=4 hi=6 wi=6 co=4 kh=1 kw=1 sh=2 sw=2 cib=4 cob=2");
    equal_results("pool2d n=1 c=4 hi=7 wi=7 kh=3 kw=3 sh=2 sw=2 ph=1 pw=1 cb=2 pool=max");
    equal_results("softmax n=3 c=12");
    equal_results("depthwise_conv2d n=1 ci=4 hi=6 wi=6 co=4 kh=3 kw=3 ph=1 pw=1 cib=2 cob=2 bias=1 clip=1");
    return done_testing();
}
