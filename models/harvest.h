/* SPDX-License-Identifier: Apache-2.0 */
/* harvest: features of many states or candidates at once, over the pool's threads, as one matrix.
 *
 * The result does not depend on the number of threads. Phases: the caller's wall time is booked as lower and features
 * by the threads' own shares. */
#pragma once
#include "harness/plug/model.h"
#include "models/feature.h"

struct harvest; /* arenas per thread and the matrix, kept between calls */

struct harvest_rows { /* valid until the next call */
    int n;            /* states */
    const int *first; /* n + 1: rows of state i are first[i] .. first[i+1]-1, at least one */
    const float *at;  /* FEATURE_WIDTH floats a row */
    const bool *none; /* per state: could not be featurised, its one row is zeros */
};

struct harvest *harvest_open(struct pool *pool, struct phases *phases); /* both may be NULL */
void harvest_close(struct harvest *h);
struct harvest_rows harvest_states(struct harvest *h, struct state *const *states, int n);   /* bounds inferred */
struct harvest_rows harvest_candidates(struct harvest *h, const struct candidate *c, int n); /* replays the steps */
