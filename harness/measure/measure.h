/* SPDX-License-Identifier: Apache-2.0 */
/* measure: builds, runs, checks and times candidates in processes that may crash. The face of the room. */
#pragma once
#include "harness/base/cpu_contention.h"
#include "harness/measure/counted_run.h"
#include "harness/measure/measure_options.h"
#include "harness/measure/measured_batch.h"
#include "harness/measure/sliced_run.h"

struct measurer;
/* May the target be measured so? An emulated one may not be timed; measure_open asks, too. */
MUST_CHECK bool measure_allowed(const struct target *t, bool verify_only, const struct regime *r, struct err *err);
/* Starts build workers and the runner, on another machine if the options name a host (remote/remote.h). Call it early,
 * before threads are made. *limits: what the target says of the hardware. */
MUST_CHECK bool measure_open(const struct measure_options *o, struct measurer **out, struct limits *limits,
                             struct err *err);

/* Builds in parallel, and runs one by one: when a batch is built, or beside the builds to come where the target's
 * kernels leave the cores alone (harness/doc/builds.md). False only when measuring itself broke
 * (cannot fork, reference not computable). */
MUST_CHECK bool measure_batch(struct measurer *m, struct measured_batch *b, struct err *err);
/* Builds n candidates of a target that is not virtual, here, in parallel, and drops the code: outcome, message and
 * build_s of their samples. */
MUST_CHECK bool measure_builds(struct measurer *m, const struct candidate *c, int n, struct sample *s, struct err *err);
/* Times one candidate again under another, longer regime, in a fresh runner. The first such run of a task hands its
 * references on to the next (reference_cache.h), so that each is computed once. */
MUST_CHECK bool measure_again(struct measurer *m, const struct candidate *c, const struct regime *regime,
                              struct sample *out, struct err *err);

/* A counted run in a fresh runner. No time is taken from it, as collectors may slow it down. Every collector of the
 * options gives its counters, or one absent counter of its own name, which has the reason. s->outcome tells whether the
 * run came to its end (nseconds is 0); if not, that is the reason of all. out->n is 0 on virtual targets and without
 * collectors. */
MUST_CHECK bool measure_count(struct measurer *m, const struct candidate *c, const struct regime *regime,
                              struct counter_list *out, struct sample *s, struct err *err);

/* Times slices of several programs in turn (sliced_run.h). False only when measuring itself broke. A program that fails
 * has its outcome; the others go on. */
MUST_CHECK bool measure_sliced(struct measurer *m, struct sliced_run *r, struct err *err);

/* The machine's peak now, FLOP/s, from a fresh runner; 0 if the target cannot say, or the runner ended. */
double measure_peak_flops(struct measurer *m);
int measure_build_workers(const struct measurer *m);
/* Puts the target's description, as the runner gives it, into a JSON object. */
void measure_describe(struct measurer *m, cJSON *object);
/* The machine that measures, as host.h tells it: an object that is the caller's. */
cJSON *measure_host(const struct measurer *m);
/* What other programs took of its CPUs since the last call, or the opening. */
struct cpu_contention measure_contention(struct measurer *m);
void measure_close(struct measurer *m);
