/* SPDX-License-Identifier: Apache-2.0 */
/* The task scheduler on made-up histories. Expected numbers follow from harness/doc/ansor.md, "Task scheduler", worked
 * out by hand beside each case. */
#include "harness/tune/scheduler.h"
#include "tests/lib/fixture.h"
#include "tests/lib/tap.h"

#include <math.h>
#include <string.h>

static struct scheduler make(enum scheduler_kind kind, const double *weights, int n, int64_t total, int64_t per_task,
                             int64_t batch)
{
    struct scheduler s;
    struct err err = {0};
    double flops[8];
    for (int i = 0; i < 8; i++)
        flops[i] = 1e6;
    const struct scheduler_budget b = {.kind = kind,
                                       .weights = weights,
                                       .flops = flops,
                                       .ntasks = n,
                                       .total = total,
                                       .per_task = per_task,
                                       .batch = batch};
    fixture_must(scheduler_open(&s, arena, &b, 1, &err), &err);
    return s;
}

static void test_batch(void)
{
    struct scheduler s;
    struct err err = {0};
    is_int(make(SCHEDULER_GRADIENT, NULL, 3, 10000, 0, 64).batch, 64, "a round has at most a batch");
    is_int(make(SCHEDULER_GRADIENT, NULL, 3, 100, 0, 64).batch, 33, "a batch is at most the trials of a task");
    struct scheduler_budget few = {.kind = SCHEDULER_GRADIENT, .ntasks = 3, .total = 2, .batch = 64};
    ok(!scheduler_open(&s, arena, &few, 1, &err), "fewer trials than tasks are an error: %s", err.text);
    few.ntasks = 0;
    ok(!scheduler_open(&s, arena, &few, 1, &err), "no tasks are an error: %s", err.text);
}

static void test_warmup(void)
{
    struct scheduler s = make(SCHEDULER_GRADIENT, NULL, 3, 100, 0, 8);
    int64_t max;
    for (int t = 0; t < 3; t++) {
        is_int(scheduler_next(&s, &max), t, "warm-up gives task %d its round", t);
        is_int(max, 8, "a round of the warm-up has a whole batch");
        scheduler_tell(&s, t, 8, t == 1 ? INFINITY : 1e-3 * (t + 1));
    }
    ok(s.tasks[1].dead && !s.tasks[0].dead && !s.tasks[2].dead,
       "a task without a valid record after the warm-up is dead");
    is_int(scheduler_next(&s, &max), 2,
           "after the warm-up the steepest task goes first: the slowest of two with equal weight");
    is_int(s.done, 24, "three rounds of 8 are 24 trials");
}

/* t = 1: next1 = g - g/1 = 0, so forward = -g; no backward. gradient = w * 0.8 * -g. */
static void test_first_gradient(void)
{
    double weights[] = {1, 5, 2};
    struct scheduler s = make(SCHEDULER_GRADIENT, weights, 3, 1000, 0, 8);
    double best[] = {4e-3, 1e-3, 3e-3};
    for (int t = 0; t < 3; t++)
        scheduler_tell(&s, t, 8, best[t]);
    for (int t = 0; t < 3; t++)
        is_near(scheduler_gradient(&s, t), weights[t] * 0.8 * -best[t], 1e-6, "gradient of task %d after one round", t);
    int64_t max;
    is_int(scheduler_next(&s, &max), 2, "a task of 2 x 3 ms goes before those of 5 x 1 ms and 1 x 4 ms");
}

/* History 8 6 5 4.4 ms: t = 4, backward = (4.4 - 8)/3 = -1.2 ms, forward = -4.4/4 = -1.1 ms; 0.2 * -1.2 + 0.8 * -1.1 =
 * -1.12. */
static void test_backward(void)
{
    double weights[] = {3, 1};
    struct scheduler s = make(SCHEDULER_GRADIENT, weights, 2, 1000, 0, 8);
    double h[] = {8e-3, 6e-3, 5e-3, 4.4e-3};
    for (int r = 0; r < 4; r++)
        scheduler_tell(&s, 0, 8, h[r]);
    scheduler_tell(&s, 1, 8, 1e-3);
    is_near(scheduler_gradient(&s, 0), 3 * -1.12e-3, 1e-6, "the gradient looks back over three rounds");
    double worse[] = {9e-3, 9e-3};
    for (int r = 0; r < 2; r++)
        scheduler_tell(&s, 0, 8, worse[r]);
    /* h = 8 6 5 4.4 4.4 4.4: backward = (4.4 - 5)/3 = -0.2, forward = -4.4/6 */
    is_near(scheduler_gradient(&s, 0), 3 * (0.2 * -0.2e-3 + 0.8 * -4.4e-3 / 6), 1e-6,
            "the gradient's history keeps the best");
}

/* A member of a group with speed F/g = 1e6/1e-3; the other has g = 8 ms: next2 = 2 * 1e6 / 1e9 = 2 ms; after 2 rounds
 * next1 = 4 ms. */
static void test_group(void)
{
    struct scheduler s = make(SCHEDULER_GRADIENT, NULL, 2, 1000, 0, 8);
    s.tasks[0].group = s.tasks[1].group = 0;
    scheduler_tell(&s, 0, 8, 1e-3);
    scheduler_tell(&s, 1, 8, 8e-3);
    scheduler_tell(&s, 1, 8, INFINITY);
    is_near(scheduler_gradient(&s, 1), 0.8 * (2e-3 - 8e-3), 1e-6, "a similar task lends its speed");
    s.tasks[0].group = s.tasks[1].group = -1;
    is_near(scheduler_gradient(&s, 1), 0.8 * -4e-3, 1e-6, "without a group a similar task lends no speed");
    s.tasks[0].group = s.tasks[1].group = 0;
    for (int r = 0; r < 5; r++)
        scheduler_tell(&s, 1, 8, INFINITY);
    is_int(s.tasks[1].group, -1,
           "a task slower than half, after more than 5 rounds more than the others, leaves its group");
}

static void test_death(void)
{
    struct scheduler s = make(SCHEDULER_GRADIENT, NULL, 2, 1000, 0, 8);
    int64_t max;
    scheduler_tell(&s, 0, 8, 9e-3);
    scheduler_tell(&s, 1, 8, 1e-3);
    is_int(scheduler_next(&s, &max), 0, "the slow task goes first");
    scheduler_tell(&s, 0, 0, INFINITY);
    ok(s.tasks[0].dead, "a round without programs kills a task");
    ok(scheduler_gradient(&s, 0) == 0, "the gradient of a dead task is 0");
    is_int(scheduler_next(&s, &max), 1, "where a task is dead the other goes on");
    scheduler_tell(&s, 1, 0, INFINITY);
    is_int(scheduler_next(&s, &max), -1, "where all tasks are dead the search ends");
}

static void test_budget(void)
{
    struct scheduler s = make(SCHEDULER_GRADIENT, NULL, 2, 20, 0, 8);
    int64_t max;
    for (int r = 0; r < 2; r++)
        scheduler_tell(&s, r, 8, 1e-3 * (r + 1));
    scheduler_next(&s, &max);
    is_int(max, 4, "the last round is cut to the budget");
    scheduler_tell(&s, 0, 4, 1e-3);
    is_int(scheduler_next(&s, &max), -1, "a search ends when its budget is spent");
}

static void test_ties(void)
{
    bool seen[3] = {false, false, false}, others = false;
    struct scheduler s = make(SCHEDULER_GRADIENT, NULL, 3, 1000, 0, 8);
    for (int t = 0; t < 3; t++)
        scheduler_tell(&s, t, 8, 2e-3);
    struct rng before = s.rng;
    for (int i = 0; i < 100; i++) {
        int64_t max;
        int t = scheduler_next(&s, &max);
        if (t >= 0 && t < 3)
            seen[t] = true;
        else
            others = true;
    }
    ok(seen[0] && seen[1] && seen[2] && !others, "of equal gradients any task may be next");
    ok(memcmp(&before, &s.rng, sizeof before) != 0, "equal gradients are told apart by the scheduler's own stream");
}

static void test_others(void)
{
    struct scheduler s = make(SCHEDULER_ROUND_ROBIN, NULL, 3, 1000, 0, 8);
    int64_t max;
    int order[7];
    for (int i = 0; i < 7; i++) {
        order[i] = scheduler_next(&s, &max);
        scheduler_tell(&s, order[i], 8, order[i] == 1 && i > 3 ? INFINITY : 1e-3);
        if (i == 4)
            scheduler_kill(&s, 2);
    }
    int want[] = {0, 1, 2, 0, 1, 0, 1};
    is_mem(order, want, sizeof want, "round robin skips the dead");

    s = make(SCHEDULER_ROUND_ROBIN, NULL, 3, 61, 0, 8);
    int64_t got[3] = {0};
    for (int task; (task = scheduler_next(&s, &max)) >= 0;) {
        int64_t n = task == 1 && got[1] == 8 ? 0 : max; /* its space has eight programs */
        got[task] += n;
        scheduler_tell(&s, task, (int)n, 1e-3);
    }
    is_mem(got, ((int64_t[]){21, 8, 21}), sizeof got, "round robin gives each task its share, whatever another leaves");

    s = make(SCHEDULER_SEQUENTIAL, NULL, 2, 200, 100, 64);
    is_int(scheduler_next(&s, &max), 0, "sequential begins with the first task");
    is_int(max, 64, "the largest round is a batch of 64");
    scheduler_tell(&s, 0, 64, INFINITY);
    is_int(scheduler_next(&s, &max), 0, "sequential goes on with a task, valid or not");
    is_int(max, 36, "sequential gives a task its own budget");
    scheduler_tell(&s, 0, 36, 1e-3);
    is_int(scheduler_next(&s, &max), 1, "sequential goes on to the next task");
    scheduler_tell(&s, 1, 10, 1e-3);
    scheduler_tell(&s, 1, 0, INFINITY);
    is_int(scheduler_next(&s, &max), -1, "sequential ends when the last task ended early");
}

int main(void)
{
    test_batch();
    test_warmup();
    test_first_gradient();
    test_backward();
    test_group();
    test_death();
    test_budget();
    test_ties();
    test_others();
    return done_testing();
}
