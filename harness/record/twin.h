/* SPDX-License-Identifier: Apache-2.0 */
/* twin: programs that are timed as two pretended arms, A and A', before the first search of a campaign and after its
 * shoot-out (A/A; practice.md 3.5). What the two differ by is what no comparison can be sure of. Records of schema
 * version 2 have none. */
#pragma once
#include "harness/record/store.h"

enum twin_stage { TWIN_BEFORE, TWIN_AFTER, TWIN_STAGES };
const char *twin_stage_word(enum twin_stage s); /* "before", "after" */

enum { TWIN_ARMS = 2, TWINS_MOST = 16, TWIN_LAUNCHES = 16 };
struct twin {
    const char *spec, *name; /* the kernel */
    const char *steps;       /* JSON, as of a record */
    uint64_t hash;
};
struct twin_reading {
    int twin, arm, launch;
    const char *regime;
    struct sample sample; /* nothing of it but outcome, message and seconds is kept */
    double unix_s;
};
struct twin_done {
    bool done;
    double peak_flops; /* highest of the stage; 0 unknown */
    double unix_s;     /* at its end; 0 on a virtual target */
};

/* All at once, so that a kill leaves all or none; numbered from 0. */
MUST_CHECK bool twins_put(struct store *s, const struct twin *twins, int n, struct err *err);
MUST_CHECK bool twins_get(struct store *s, struct arena *a, struct twin **out, int *n, struct err *err);
/* A candidate of the task, which is that of the twin's spec; in a. */
MUST_CHECK bool twin_candidate(struct arena *a, const struct twin *t, const struct task *task, struct candidate *out,
                               struct err *err);
MUST_CHECK bool twin_reading_put(struct store *s, enum twin_stage stage, const struct twin_reading *r, struct err *err);
/* By launch, twin, arm. */
MUST_CHECK bool twin_readings(struct store *s, struct arena *a, enum twin_stage stage, struct twin_reading **out,
                              int *n, struct err *err);
MUST_CHECK bool twin_stage_put(struct store *s, enum twin_stage stage, double peak_flops, double unix_s,
                               struct err *err);
/* Is the last stage still to come: there are twins, and the floor after is not done? Then the shoot-out is not
 * finished.
 */
MUST_CHECK bool twin_awaited(struct store *s, bool *awaited, struct err *err);
/* Readings in fresh processes, of the shoot-out and of twins, and how many of them gave no time. */
MUST_CHECK bool twin_finals(struct store *s, int *readings, int *failed, struct err *err);
MUST_CHECK bool twin_stage_get(struct store *s, enum twin_stage stage, struct twin_done *out, struct err *err);
