/* SPDX-License-Identifier: Apache-2.0 */
/* scheduler: TVM v0.16 task_scheduler.py (harness/doc/ansor.md, "Task scheduler"), with the default objective of the
 * authors' runs: the sum of call count times latency.
 *
 * Deviations: (1) the last round is cut to what is left of the budget; TVM lets it overshoot by up to a batch. (2) When
 * all gradients are equal TVM draws among all tasks, dead ones too, whose rounds then measure nothing; we draw among
 * the living. (3) The unused gamma and early stopping (off by default in TVM) are left out. (4) Round robin gives each
 * task an equal share of the trials; in TVM, what a task with few programs leaves goes to the others, and the kernels
 * of one table would have had different budgets. SCHEDULER_SEQUENTIAL is not TVM's: it is the authors' loop over
 * kernels in DPAnsor (harness/doc/droplet.md, "From Ansor to DPAnsor"). */
#include "harness/tune/scheduler.h"

#include <math.h>
#include <string.h>

#define DELTA 1e-4    /* of the numeric chain derivative, seconds */
#define NO_LIMIT 1e30 /* next2 without a group */

bool scheduler_open(struct scheduler *s, struct arena *a, const struct scheduler_budget *budget, uint64_t seed,
                    struct err *err)
{
    int n = budget->ntasks;
    *s = (struct scheduler){.arena = a,
                            .kind = budget->kind,
                            .ntasks = n,
                            .total = budget->total,
                            .per_task = budget->per_task,
                            .last = -1};
    if (n < 1)
        return err_set(err, "no tasks to tune");
    bool sequential = budget->kind == SCHEDULER_SEQUENTIAL;
    int64_t share = sequential ? budget->per_task : budget->total / n;
    s->batch = budget->batch < share ? budget->batch : share;
    if (s->batch < 1)
        return err_set(err, "%lld trials are fewer than the %d tasks: give at least one trial to each",
                       (long long)(sequential ? budget->per_task : budget->total), n);
    s->tasks = ARENA_ARRAY(a, struct scheduler_task, n);
    for (int i = 0; i < n; i++)
        s->tasks[i] = (struct scheduler_task){.weight = budget->weights ? budget->weights[i] : 1,
                                              .flops = budget->flops ? budget->flops[i] : 0,
                                              .group = -1,
                                              .best = SCHEDULER_NO_COST};
    rng_seed(&s->rng, seed);
    return true;
}

/* f of the latencies, with task i's lowered by delta (i = -1: as they are); summed in task order, as Python's sum does,
 * because DELTA is near the rounding of a sum that holds a 1e10. */
static double objective(const struct scheduler *s, int lowered, double delta)
{
    double sum = 0;
    for (int i = 0; i < s->ntasks; i++)
        sum += (s->tasks[i].best - (i == lowered ? delta : 0)) * s->tasks[i].weight;
    return sum;
}

static double group_speed(const struct scheduler *s, int group, int *members)
{
    double best = 0;
    *members = 0;
    for (int i = 0; i < s->ntasks; i++) {
        if (s->tasks[i].group != group)
            continue;
        ++*members;
        best = fmax(best, s->tasks[i].flops / s->tasks[i].best);
    }
    return best;
}

static double next_latency(const struct scheduler *s, int task)
{
    const struct scheduler_task *t = &s->tasks[task];
    double next1 = t->best - t->best / t->rounds, next2 = SCHEDULER_BETA * NO_LIMIT;
    int members = 0;
    double speed = t->group >= 0 ? group_speed(s, t->group, &members) : 0;
    if (members > 1)
        next2 = SCHEDULER_BETA * t->flops / speed;
    return fmin(next1, next2);
}

double scheduler_gradient(const struct scheduler *s, int task)
{
    const struct scheduler_task *t = &s->tasks[task];
    if (t->dead)
        return 0;
    if (t->rounds < 1)
        bug("gradient of a task that had no round");
    double chain = (objective(s, -1, 0) - objective(s, task, DELTA)) / DELTA;
    double backward = 0;
    int last = t->rounds - 1;
    if (last - SCHEDULER_WINDOW >= 0)
        backward = (t->history[last] - t->history[last - SCHEDULER_WINDOW]) / SCHEDULER_WINDOW;
    double forward = next_latency(s, task) - t->best;
    return chain * (SCHEDULER_ALPHA * backward + (1 - SCHEDULER_ALPHA) * forward);
}

static int steepest(struct scheduler *s)
{
    int best = -1, living = 0;
    bool tie = true;
    double low = 0;
    for (int i = 0; i < s->ntasks; i++) {
        if (s->tasks[i].dead)
            continue;
        double g = scheduler_gradient(s, i);
        if (living++ && g != low)
            tie = false;
        if (best < 0 || g < low) {
            best = i;
            low = g;
        }
    }
    if (living < 2 || !tie)
        return best;
    int64_t pick = (int64_t)rng_below(&s->rng, (uint64_t)living);
    for (int i = 0; i < s->ntasks; i++)
        if (!s->tasks[i].dead && pick-- == 0)
            return i;
    return best;
}

/* Trials that a task may still have. */
static int64_t allowance(const struct scheduler *s, int task)
{
    int64_t left = s->total - s->done, share = left + s->tasks[task].trials;
    if (s->kind == SCHEDULER_SEQUENTIAL)
        share = s->per_task;
    if (s->kind == SCHEDULER_ROUND_ROBIN)
        share = (s->total + s->ntasks - 1) / s->ntasks;
    int64_t own = share - s->tasks[task].trials;
    return own < left ? own : left;
}

static int round_robin(const struct scheduler *s)
{
    for (int i = 1; i <= s->ntasks; i++) {
        int task = (s->last + i) % s->ntasks;
        if (!s->tasks[task].dead && allowance(s, task) > 0)
            return task;
    }
    return -1;
}

static int unwarmed(const struct scheduler *s)
{
    for (int i = 0; i < s->ntasks; i++)
        if (!s->tasks[i].dead && s->tasks[i].rounds == 0)
            return i;
    return -1;
}

static int unfinished(const struct scheduler *s)
{
    for (int i = 0; i < s->ntasks; i++)
        if (!s->tasks[i].dead && allowance(s, i) > 0)
            return i;
    return -1;
}

int scheduler_next(struct scheduler *s, int64_t *max)
{
    *max = 0;
    if (s->total <= s->done)
        return -1;
    int task = s->kind == SCHEDULER_SEQUENTIAL ? unfinished(s) : unwarmed(s);
    if (task < 0 && s->kind == SCHEDULER_GRADIENT)
        task = steepest(s);
    if (task < 0 && s->kind == SCHEDULER_ROUND_ROBIN)
        task = round_robin(s);
    if (task < 0)
        return -1;
    int64_t most = allowance(s, task);
    *max = s->batch < most ? s->batch : most;
    return task;
}

static void remember(struct scheduler *s, struct scheduler_task *t)
{
    if (t->rounds == t->cap) {
        int cap = t->cap ? 2 * t->cap : 16;
        double *more = ARENA_ARRAY(s->arena, double, cap);
        if (t->rounds)
            memcpy(more, t->history, sizeof *more * (size_t)t->rounds);
        t->history = more;
        t->cap = cap;
    }
    t->history[t->rounds++] = t->best;
}

/* A task much slower than its group after many rounds does not belong to it. */
static void regroup(struct scheduler *s, int task)
{
    struct scheduler_task *t = &s->tasks[task];
    int members = 0, most = 0;
    double speed = t->group >= 0 ? group_speed(s, t->group, &members) : 0;
    if (members < 2)
        return;
    for (int i = 0; i < s->ntasks; i++)
        if (i != task && s->tasks[i].group == t->group && s->tasks[i].rounds > most)
            most = s->tasks[i].rounds;
    if (t->flops / t->best < speed / SCHEDULER_BETA && t->rounds > 5 + most)
        t->group = -1;
}

void scheduler_tell(struct scheduler *s, int task, int n, double best)
{
    struct scheduler_task *t = &s->tasks[task];
    bool warming = s->kind != SCHEDULER_SEQUENTIAL && unwarmed(s) >= 0;
    if (best < t->best)
        t->best = best;
    if (n == 0)
        t->dead = true;
    t->trials += n;
    s->done += n;
    remember(s, t);
    if (!warming) {
        s->last = task;
        regroup(s, task);
    } else if (unwarmed(s) < 0) {
        for (int i = 0; i < s->ntasks; i++) /* nothing valid after the warm-up: TVM gives such tasks up */
            s->tasks[i].dead = s->tasks[i].dead || s->tasks[i].best >= SCHEDULER_NO_COST;
    }
}

void scheduler_kill(struct scheduler *s, int task)
{
    s->tasks[task].dead = true;
}
