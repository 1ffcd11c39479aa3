/* SPDX-License-Identifier: Apache-2.0 */
/* random_schedule: random schedules for property tests: small tasks of every operator, and for a task any number of
 * schedules that apply and whose bounds can be inferred, made of all steps but for thread bindings: splits that do
 * not divide, both directions, follow splits, fuses, reorders, caches, rfactor, reindexing, inlining, compute-at,
 * annotations, pragmas.
 */
#pragma once
#include "harness/base/rng.h"
#include "harness/program/lower/lower.h"

extern const char *const RANDOM_SCHEDULE_SPECS[]; /* ended by NULL */

/* A state with bounds inferred, in a; its history is the schedule. */
struct state *random_schedule_make(struct arena *a, const struct task *t, struct rng *r);
/* The same with loops bound to blocks, threads and virtual threads. */
struct state *random_schedule_threads(struct arena *a, const struct task *t, struct rng *r);

/* One task with arguments filled with small integers (so that sums are exact in f32), and what the graph computes of
 * them. */
struct trial_task {
    struct task *task;
    void *args[32]; /* output last: uninitialised room */
    double *want;   /* per output element */
    int64_t nout;
};
MUST_CHECK bool random_schedule_task(struct arena *a, const char *spec, struct rng *r, struct trial_task *out,
                                     struct err *err);
/* The arguments as the nest wants them: weights packed where it says so. In a. */
void random_schedule_args(struct arena *a, const struct trial_task *t, const struct nest *n, void **args);
/* Compares the output (last of args) with t->want: false and the first difference. */
MUST_CHECK bool random_schedule_same(const struct trial_task *t, const void *output, struct err *err);
/* Lowers the state, checks the nest, runs it and compares. Longer ones than that many statements (0: any number) end
 * without an error, and *done is false. */
MUST_CHECK bool random_schedule_run(struct arena *a, const struct trial_task *t, const struct state *s,
                                    enum layout_mode mode, int64_t statements, bool *done, struct err *err);
void random_schedule_show(const struct state *s, const char *what); /* its steps and its text, as a diagnostic */
