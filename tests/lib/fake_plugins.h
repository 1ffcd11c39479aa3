/* SPDX-License-Identifier: Apache-2.0 */
/* fake_plugins: plug-ins of nothing but arithmetic, for tests of the tune room: a virtual target whose times are hashes
 * of the steps, two searchers and a model whose answers hang on every tell, fit and random number before, so that any
 * slip of a resume shows. Every call counts; at the call fake_die_at the process kills itself with SIGKILL. */
#pragma once
#include "harness/base/arena.h"
#include "harness/plug/registry.h"
#include "harness/tune/plan.h"

extern long fake_calls, fake_die_at; /* die_at 0: never */
extern long fake_interrupt_at;       /* raise SIGINT at this call, once */
extern int fake_fail_every;          /* one of so many candidates fails to build; 1: all; 0: none */
extern long *fake_runs; /* calls of the build: measured candidates; point it to shared memory to count over processes */
extern bool fake_mixes_costs; /* what is told includes what trials cost, which on a real target is another each time */
extern const struct registry fake_registry;
/* The same plug-ins with target `apart`: real workers build and run, runs leave the cores alone, and what they answer
 * are the times of target `fake`. A byte for each step goes to the end of the file that the variable RAINGAUGE_TALLY
 * names: B when a build begins, b when it is done, R when a runner takes a program, r when it lets it go. A build and a
 * run take a millisecond each, so that they meet. */
extern const struct registry fake_apart_registry;

/* Three small tasks; cells: ansor-like over all of them (with model), then two descents (k 3 and 100) that share. */
const struct plan *fake_plan(struct arena *a, const char *dir, int64_t trials);
/* The same on target `apart`, with two build workers. */
const struct plan *fake_apart_plan(struct arena *a, const char *dir, int64_t trials);
/* The same, with share_kernels and round robin, and a second network of three tasks, of which the first and the last
 * are the second and the first of the first network: cells 3 to 5. */
const struct plan *fake_sharing_plan(struct arena *a, const char *dir, int64_t trials_per_task);
