/* SPDX-License-Identifier: Apache-2.0 */
/* measure: builds, runs, checks and times candidates in processes that may crash (design.md section 4). */
#pragma once
#include "harness/measure/regime.h"
#include "harness/plug/collector.h"
#include "harness/plug/phase.h"
#include "harness/plug/target.h"

struct measurer;
struct measure_options {
    const struct target *target;
    const char *target_settings;               /* "name=value,..." or "" */
    const struct collector *const *collectors; /* for measure_count; ended by NULL and static; NULL: none */
    struct regime regime;
    int threads;       /* kernel threads, 0 = all */
    int build_workers; /* 0 = one per online core */
    enum layout_mode layout;
    uint64_t seed;      /* of the inputs */
    const char *faults; /* "crash:5,hang:7,memory:9,wrong:11": real faults planted at these trial ordinals (demo-faults,
                           tests); "" none */
};

/* Forks build workers and the runner; call it early (before threads are made). *limits: what the target says of the
 * hardware. */
MUST_CHECK bool measure_open(const struct measure_options *o, struct measurer **out, struct limits *limits,
                             struct err *err);
/* n samples for n candidates of one task. A batch is built in parallel, then run serially. done is called after each
 * candidate in order (may be NULL); when it returns false the rest is not measured (*measured tells how many were).
 * False only when measuring itself broke (cannot fork, reference not computable). */
MUST_CHECK bool measure_batch(struct measurer *m, const struct candidate *c, int n, struct sample *out, int *measured,
                              bool (*done)(void *ctx, int i, const struct sample *s), void *ctx, struct phases *phases,
                              struct err *err);
/* A second, longer timing of one candidate under another regime, in a fresh runner. The first such reading of a task
 * hands its references on to the next (reference_cache.h), so that each is computed once. */
MUST_CHECK bool measure_again(struct measurer *m, const struct candidate *c, const struct regime *regime,
                              struct sample *out, struct err *err);
/* A counted run in a fresh runner: never timed, as collectors may slow it down. Every collector of the options gives
 * its counters, or one of its own name; a missing one is present false and has its reason, never a value. Values are
 * per call. s->outcome tells whether the run came to its end (nseconds is 0); when not, it is the reason of all. most:
 * room in out, MEASURE_COUNTERS holds all. *n 0 on virtual targets and without collectors. */
#define MEASURE_COUNTERS 128
MUST_CHECK bool measure_count(struct measurer *m, const struct candidate *c, const struct regime *regime,
                              struct counter *out, int most, int *n, struct sample *s, struct err *err);
/* The machine's peak now, from a fresh runner; 0 where the target cannot say, or the runner ended. */
double measure_peak_flops(struct measurer *m);
int measure_build_workers(const struct measurer *m);
void measure_describe(struct measurer *m, struct text *json); /* target's description, from the runner */
void measure_close(struct measurer *m);
