/* SPDX-License-Identifier: Apache-2.0 */
/* toy: plug-ins of nothing but arithmetic, for tests of the tune room: a virtual target whose times are hashes of the
 * steps, two searchers and a model whose answers hang on every tell, fit and random number before, so that any slip of
 * a resume shows. Every call counts; at the call toy_die_at the process kills itself with SIGKILL. */
#pragma once
#include "harness/base/arena.h"
#include "harness/plug/kit.h"
#include "harness/tune/plan.h"

extern long toy_calls, toy_die_at; /* die_at 0: never */
extern long toy_interrupt_at;      /* raise SIGINT at this call, once */
extern int toy_fail_every;         /* one of so many candidates fails to build; 1: all; 0: none */
extern long *toy_runs; /* calls of the build: measured candidates; point it to shared memory to count over processes */
extern const struct kit toy_kit;

/* Three small tasks; cells: ansor-like over all of them (with model), then two descents (k 3 and 100) that share. */
const struct plan *toy_plan(struct arena *a, const char *dir, int64_t trials);
