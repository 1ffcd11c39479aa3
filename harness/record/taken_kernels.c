/* SPDX-License-Identifier: Apache-2.0 */
/* taken_kernels: a round keeps its length and its records; only where it stands on the clock is new. */
#include "harness/record/taken_kernels.h"

#include "harness/base/text.h"
#include "harness/base/vec.h"

#include <math.h>
#include <stdlib.h>

struct moved { /* a round on its way from the cell that had it */
    struct scan_round was;
    int task, turn;       /* of the cell that it comes to; which of the task's rounds it is */
    int64_t ordinal, now; /* of its first record, there and here */
    double begin_s;       /* here */
    bool sequential;
};
struct joiner {
    struct arena *a;
    struct record_scan *s;
    int cell;
    VEC(struct moved) rounds;
};

/* The rounds of a kernel, as task number `task` of the cell. */
static void add_rounds(struct joiner *j, struct scan_place from, int task)
{
    const struct scan_cell *c = &j->s->of[from.cell];
    bool sequential = j->s->cells[j->cell].scheduler == SCHEDULER_SEQUENTIAL;
    int64_t ordinal = 0;
    int turn = 0;
    for (int i = 0; i < c->nrounds; i++) {
        if (c->rounds[i].task == from.task)
            vec_push(
                &j->rounds,
                (struct moved){
                    .was = c->rounds[i], .task = task, .turn = turn++, .ordinal = ordinal, .sequential = sequential});
        ordinal += c->rounds[i].measured;
    }
}

static int by_turn(const void *a, const void *b)
{
    const struct moved *x = a, *y = b;
    int tasks = (x->task > y->task) - (x->task < y->task), turns = (x->turn > y->turn) - (x->turn < y->turn);
    return x->sequential ? (tasks ? tasks : turns) : (turns ? turns : tasks);
}

static double length_of(const struct scan_round *r)
{
    return isfinite(r->end_s) ? r->end_s - r->begin_s : 0;
}

/* Puts the rounds one after the other; the cell's new list. */
static void lay_out(struct joiner *j, struct scan_cell *out)
{
    double clock = 0;
    int64_t ordinal = 0;
    if (j->rounds.n)
        qsort(j->rounds.at, (size_t)j->rounds.n, sizeof *j->rounds.at, by_turn);
    out->rounds = ARENA_ARRAY(j->a, struct scan_round, j->rounds.n + 1);
    out->nrounds = j->rounds.n;
    for (int i = 0; i < j->rounds.n; i++) {
        struct moved *m = &j->rounds.at[i];
        m->begin_s = clock;
        m->now = ordinal;
        clock += length_of(&m->was);
        ordinal += m->was.measured;
        out->rounds[i] = (struct scan_round){m->task, m->was.measured, m->begin_s, clock};
    }
}

static void move_step(const struct joiner *j, int task, struct scan_step *step)
{
    for (int i = 0; i < j->rounds.n; i++) {
        const struct moved *m = &j->rounds.at[i];
        if (m->task != task || step->ordinal < m->ordinal || step->ordinal >= m->ordinal + m->was.measured)
            continue;
        step->ordinal += m->now - m->ordinal;
        step->elapsed_s += m->begin_s - m->was.begin_s;
        return;
    }
}

/* The kernel as the cell has it: its sums of the first k records are of the cell's k. */
static struct scan_kernel kernel_of(const struct joiner *j, struct scan_place from, int task)
{
    const struct scan_cell *there = &j->s->of[from.cell], *here = &j->s->of[j->cell];
    struct scan_kernel k = there->kernels[from.task];
    struct scan_sums *first = ARENA_ARRAY(j->a, struct scan_sums, here->nk + 1);
    for (int i = 0; i < here->nk; i++) {
        first[i].best_s = INFINITY;
        for (int o = 0; o < there->nk; o++)
            if (there->k[o] == here->k[i])
                first[i] = k.first[o];
    }
    struct scan_step *steps = ARENA_ARRAY(j->a, struct scan_step, k.nsteps + 1);
    for (int i = 0; i < k.nsteps; i++) {
        steps[i] = k.steps[i];
        move_step(j, task, &steps[i]);
    }
    k.first = first;
    k.steps = steps;
    return k;
}

static bool takes(const struct record_scan *s, int cell)
{
    for (int t = 0; t < s->cells[cell].ntasks; t++)
        if (store_taken(s->cells, s->ncells, cell, t))
            return str_eq(s->cells[cell].state, "done");
    return false;
}

/* Seconds of a kernel's rounds, and the CPU seconds that go with them. */
static void add_clock(const struct scan_cell *there, int task, struct scan_cell *out)
{
    double seconds = 0;
    for (int i = 0; i < there->nrounds; i++)
        if (there->rounds[i].task == task)
            seconds += length_of(&there->rounds[i]);
    out->clock_s += seconds;
    out->cpu_s += there->clock_s > 0 ? there->cpu_s * seconds / there->clock_s : 0;
}

static void join(struct arena *a, struct record_scan *s, int cell)
{
    struct joiner j = {.a = a, .s = s, .cell = cell};
    struct scan_cell out = s->of[cell];
    int ntasks = s->cells[cell].ntasks;
    for (int t = 0; t < ntasks; t++) {
        bool taken = store_taken(s->cells, s->ncells, cell, t);
        struct scan_place from = taken ? record_scan_measured(s, cell, t) : (struct scan_place){cell, t};
        add_rounds(&j, from, t);
        if (taken)
            add_clock(&s->of[from.cell], from.task, &out);
    }
    lay_out(&j, &out);
    out.kernels = ARENA_ARRAY(a, struct scan_kernel, ntasks + 1);
    for (int t = 0; t < ntasks; t++) {
        bool taken = store_taken(s->cells, s->ncells, cell, t);
        out.kernels[t] = kernel_of(&j, taken ? record_scan_measured(s, cell, t) : (struct scan_place){cell, t}, t);
    }
    s->of[cell] = out;
    vec_free(&j.rounds);
}

/* A cell comes after those that it takes from, whose rounds and improvements fit together joined or not. */
void taken_kernels_join(struct arena *a, struct record_scan *s)
{
    for (int c = 0; c < s->ncells; c++)
        if (takes(s, c))
            join(a, s, c);
}
