/* SPDX-License-Identifier: Apache-2.0 */
/* aa_test: the A/A test in the records. A few programs are timed as two pretended arms, A and A', before the first
 * search of a campaign and after its re-timing. What the two differ by is the noise floor: no smaller difference
 * between real arms means anything. Records of schema version 2 have none. */
#pragma once
#include "harness/record/store.h"

enum aa_stage { AA_BEFORE, AA_AFTER, AA_STAGES };
const char *aa_stage_word(enum aa_stage s); /* "before", "after" */

enum { AA_ARMS = 2, AA_PROGRAMS_MOST = 16, AA_LAUNCHES = 16 };
struct aa_program {
    const char *spec, *name; /* the kernel */
    const char *steps;       /* JSON, as of a record */
    uint64_t hash;
};
struct aa_reading {
    int program, arm, launch;
    const char *regime;
    struct sample sample; /* nothing of it but outcome, message and seconds is kept */
    double unix_s;
};
struct aa_done {
    bool done;
    double peak_flops; /* highest of the stage; 0 unknown */
    double unix_s;     /* at its end; 0 on a virtual target */
};

/* All at once, so that a kill leaves all or none; numbered from 0. */
MUST_CHECK bool aa_programs_put(struct store *s, const struct aa_program *programs, int n, struct err *err);
MUST_CHECK bool aa_programs_get(struct store *s, struct arena *a, struct aa_program **out, int *n, struct err *err);
/* A candidate of the task, which is that of the program's spec; in a. */
MUST_CHECK bool aa_candidate(struct arena *a, const struct aa_program *t, const struct task *task,
                             struct candidate *out, struct err *err);
MUST_CHECK bool aa_reading_put(struct store *s, enum aa_stage stage, const struct aa_reading *r, struct err *err);
/* By launch, program, arm. */
MUST_CHECK bool aa_readings(struct store *s, struct arena *a, enum aa_stage stage, struct aa_reading **out, int *n,
                            struct err *err);
MUST_CHECK bool aa_stage_put(struct store *s, enum aa_stage stage, double peak_flops, double unix_s, struct err *err);
/* Is the stage after the re-timing still to come: there are programs, and it is not done? Then the campaign is not
 * finished. */
MUST_CHECK bool aa_awaited(struct store *s, bool *awaited, struct err *err);
/* Readings in fresh processes, of the re-timing and of the A/A test, and how many of them gave no time. */
MUST_CHECK bool aa_count_readings(struct store *s, int *readings, int *failed, struct err *err);
MUST_CHECK bool aa_stage_get(struct store *s, enum aa_stage stage, struct aa_done *out, struct err *err);
