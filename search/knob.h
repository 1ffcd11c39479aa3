/* SPDX-License-Identifier: Apache-2.0 */
/* knob: how an Ansor schedule becomes the axes of a grid (droplet.md 4.5): one axis per length of every split step, one
 * per auto-unroll pragma. All else stays; followed splits inherit the new lengths. */
#pragma once
#include "harness/base/arena.h"
#include "harness/plug/candidate.h"

enum knob_values {
    KNOB_PAPER, /* seed first, then those of 4 8 16 24 32 48 64 that differ and fit the extent */
    KNOB_BENNU, /* the same with 2 */
    KNOB_UNIT,  /* 1 first, then as KNOB_BENNU; the pragma still begins at the seed's value (the authors' rivals) */
    KNOB_META,  /* seed first, then 2 4 8 16 32 64 whatever the extent; the pragma 128 to 2048 (droplet.md 4.5) */
    KNOB_SORTED /* ascending with the seed in its place: 1 2 4 8 16 24 32 48 64, the divisors up to 64, the seed */
};
struct knob {
    int step, place; /* index of the step; index in its list, -1: the pragma's value */
    int n, origin;   /* number of values; where the seed's stands */
    const int64_t *values;
};
/* The knobs of a step list, in step order; at most max. Returns their number. */
int knobs_of(struct arena *a, const struct step *steps, int nsteps, enum knob_values kind, struct knob *out, int max);
/* A knob over MetaSchedule's extents for a kind of loop (droplet.md 4.5): the seed's, then parallel 32 to 512, vector
 * 16 to 256. It belongs to no step (-1); place says what it is. */
enum knob_loop { KNOB_PARALLEL, KNOB_VECTOR };
void knob_extents(struct arena *a, enum knob_loop loop, int64_t seed, int place, struct knob *out);
void knob_pragma(struct arena *a, struct step *pragma, int64_t value); /* sets an unroll pragma, its text in a */
/* A copy of the steps with knob i at values[point[i]]; knobs of no step change nothing. */
struct step *knobs_apply(struct arena *a, const struct step *steps, int nsteps, const struct knob *knobs, int n,
                         const int *point);
/* Steps as a candidate without score. Its hash is the state's, or of its steps where they do not apply. */
struct candidate knob_candidate(struct arena *a, const struct task *task, const struct step *steps, int nsteps);
/* knobs_apply as a candidate of the seed's task. */
struct candidate knobs_candidate(struct arena *a, const struct candidate *seed, const struct knob *knobs, int n,
                                 const int *point);
