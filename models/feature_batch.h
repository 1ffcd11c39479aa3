/* SPDX-License-Identifier: Apache-2.0 */
/* feature_batch: features of many states or candidates at once, over the pool's threads, as one matrix.
 *
 * The result does not depend on the number of threads. Phases: the caller's wall time is booked as lower and features
 * by the threads' own shares. */
#pragma once
#include "harness/plug/model.h"
#include "models/feature.h"

struct feature_batch; /* arenas per thread and the matrix, kept between calls */

struct feature_batch_rows { /* valid until the next call */
    int n;                  /* states */
    const int *first;       /* n + 1: rows of state i are first[i] .. first[i+1]-1, at least one */
    const float *at;        /* FEATURE_WIDTH floats a row */
    const bool *none;       /* per state: could not be featurised, its one row is zeros */
};

struct feature_batch *feature_batch_open(struct pool *pool, struct phases *phases); /* both may be NULL */
void feature_batch_close(struct feature_batch *b);
struct feature_batch_rows feature_batch_states(struct feature_batch *b, struct state *const *states,
                                               int n); /* bounds inferred */
struct feature_batch_rows feature_batch_candidates(struct feature_batch *b, const struct candidate *c,
                                                   int n); /* replays the steps */
