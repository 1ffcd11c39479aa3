/* SPDX-License-Identifier: Apache-2.0 */
/* measured_set: what a searcher has been told: the measured candidates of its task with their throughput. It is all the
 * memory a searcher needs across rounds, and tell rebuilds it on resume. Owns its memory. */
#pragma once
#include "harness/base/map.h"
#include "harness/plug/candidate.h"
#include "harness/plug/sample.h"

#define MEASURED_SET_FAILED 1e-10 /* throughput of a failure, as TVM counts it (cost 1e10) */
struct measured_set_line {
    const struct step *steps;
    int nsteps;
    uint64_t hash;
    double throughput; /* 1 / mean seconds, or MEASURED_SET_FAILED */
};
struct measured_set {
    struct arena *arena;
    struct map known; /* state hash -> line */
    struct measured_set_line *lines;
    int n, cap;
};

void measured_set_open(struct measured_set *l);
void measured_set_close(struct measured_set *l);
void measured_set_tell(struct measured_set *l, const struct candidate *c, const struct sample *s,
                       int n); /* repeats are ignored */
bool measured_set_knows(const struct measured_set *l, uint64_t hash);
/* Line numbers of the best most lines, best first, ties in order told; returns how many. */
int measured_set_best(const struct measured_set *l, int most, int *out);
