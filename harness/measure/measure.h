/* SPDX-License-Identifier: Apache-2.0 */
/* measure: builds, runs, checks and times candidates in processes that may crash (design.md section 4). */
#pragma once
#include "harness/measure/regime.h"
#include "harness/plug/phase.h"
#include "harness/plug/target.h"

struct measurer;
struct measure_options {
    const struct target *target;
    const char *target_settings; /* "name=value,..." or "" */
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
/* A second, longer timing of one candidate under another regime, in a fresh runner. */
MUST_CHECK bool measure_again(struct measurer *m, const struct candidate *c, const struct regime *regime,
                              struct sample *out, struct err *err);
int measure_build_workers(const struct measurer *m);
void measure_describe(struct measurer *m, struct text *json); /* target's description, from the runner */
void measure_close(struct measurer *m);
