/* SPDX-License-Identifier: Apache-2.0 */
/* gpu_program: drawn and mutated GPU programs of every operator and every sketch, on a device so small that tasks for
 * the interpreter fill its blocks. Each passes the nest check, and if it fits the device it computes what the graph
 * computes; what does not fit is refused for one of TVM's reasons. That the draws are TVM's is in sampling.c. */
#include "harness/program/lower/gpu_verify.h"
#include "search/evolution/mutate.h"
#include "search/sketch/draw.h"
#include "search/sketch/stage_query.h"
#include "tests/lib/fixture.h"
#include "tests/lib/interp_nest.h"
#include "tests/lib/random_schedule.h"
#include "tests/lib/tap.h"

#include <string.h>

enum { STATEMENTS_MAX = 4000000, DRAWS = 24 };

/* Warps of 4 threads, blocks of 16, 160 bytes of shared memory. */
static const struct limits small = {.cores = -1,
                                    .vector_bytes = 16,
                                    .cache_line = 64,
                                    .shared_bytes = 160,
                                    .local_bytes = 1 << 20,
                                    .threads_per_block = 16,
                                    .vthread_extent = 2,
                                    .warp_size = 4,
                                    .is_gpu = true};
static const struct space_options options = {
    .max_vectorize = 16, .cpu_structure = "SSRSRS", .gpu_structure = "SSSRRSRS"};

struct tally {
    int drawn, invalid, unfit, right, wrong, mutated, shared, across;
    int reasons[6];
};

static const char *const REASONS[] = {"threads, at most", "bytes of shared memory", "virtual threads",
                                      "vectors of",       "threads along one axis", "bytes of local memory"};

static bool known_reason(const char *text, struct tally *t)
{
    for (int i = 0; i < 6; i++)
        if (strstr(text, REASONS[i])) {
            t->reasons[i]++;
            return true;
        }
    return false;
}

/* Runs the program, whether it fits the device or not: a schedule is right or wrong by itself. */
static void check_state(struct arena *a, const struct trial_task *task, const struct state *s, struct tally *t)
{
    struct err err = {0}, unfit = {0};
    struct nest *n;
    void *args[32];
    for (int i = 0; i < s->nstages; i++) {
        t->shared += str_ends(s->stages[i].op->name, ".shared");
        t->across += stage_reduces_across_threads(s, i);
    }
    bool fine = lower(a, s, LAYOUT_NONE, &n, &err) && nest_check(n, &err);
    if (fine && !gpu_verify(n, &small, &unfit)) {
        t->unfit++;
        fine = known_reason(unfit.text, t) || err_set(&err, "%s", unfit.text);
    }
    if (fine) {
        random_schedule_args(a, task, n, args);
        fine =
            interp_nest(n, args, STATEMENTS_MAX, &err) && random_schedule_same(task, args[task->task->nargs - 1], &err);
    }
    t->right += fine;
    t->wrong += !fine;
    if (!fine && t->wrong < 3)
        random_schedule_show(s, err.text);
}

/* A state and a line of mutations of it. */
static void check_draw(struct arena *a, const struct trial_task *task, const struct space *sp, struct rng *r,
                       struct tally *t)
{
    struct state *s = draw_state(sp, a, r, NULL, NULL);
    t->drawn++;
    t->invalid += !s;
    for (int i = 0; s && i < 3; i++) {
        struct genome child;
        check_state(a, task, s, t);
        struct genome parent = {s->steps, s->nsteps};
        if (!mutation_draw(sp, r)->apply(sp, a, a, r, parent, &child))
            break;
        s = space_state(sp, a, child.steps, child.n, NULL, NULL);
        t->mutated += s != NULL;
    }
}

static void check_task(const char *spec, struct tally *all)
{
    struct rng r;
    struct err err = {0};
    struct trial_task task;
    struct space sp = {0};
    struct tally t = {0};
    rng_seed(&r, 5);
    if (ok(random_schedule_task(arena, spec, &r, &task, &err) &&
               space_open(&sp, arena, task.task, &small, &options, &err) && sp.nsketches > 0,
           "%s: there are sketches for GPUs %s", spec, err.text)) {
        struct space one = sp;
        one.nsketches = 1;
        for (int k = 0; k < sp.nsketches; k++) {
            one.sketches = &sp.sketches[k];
            for (int i = 0; i < DRAWS; i++) {
                check_draw(scratch, &task, &one, &r, &t);
                arena_reset(scratch);
            }
        }
        ok(t.right > 0 && t.wrong == 0,
           "%d programs of %d sketches, %d of them mutated, give the graph's result; %d draws are invalid, %d programs "
           "do not fit",
           t.right, sp.nsketches, t.mutated, t.invalid, t.unfit);
    }
    all->mutated += t.mutated;
    all->shared += t.shared;
    all->across += t.across;
    for (int i = 0; i < 6; i++)
        all->reasons[i] += t.reasons[i];
}

int main(void)
{
    struct tally all = {0};
    for (int i = 0; RANDOM_SCHEDULE_SPECS[i]; i++)
        check_task(RANDOM_SCHEDULE_SPECS[i], &all);
    ok(all.mutated > 100 && all.shared > 100 && all.across > 100,
       "mutations (%d), copies in shared memory (%d) and reductions across threads (%d) have been met", all.mutated,
       all.shared, all.across);
    ok(all.reasons[0] > 0 && all.reasons[1] > 0 && all.reasons[3] > 0,
       "blocks of too many threads (%d), too much shared memory (%d) and long vectors (%d) have been refused",
       all.reasons[0], all.reasons[1], all.reasons[3]);
    return done_testing();
}
