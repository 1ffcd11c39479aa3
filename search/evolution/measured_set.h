/* SPDX-License-Identifier: Apache-2.0 */
/* measured_set: what a searcher has been told: which candidates of its task were measured, and the best of them. It is
 * all the memory a searcher needs across rounds, and tell rebuilds it on resume. */
#pragma once
#include "harness/base/map.h"
#include "harness/plug/candidate.h"
#include "harness/plug/sample.h"

#define MEASURED_SET_FAILED 1e-10 /* throughput of a failure, as TVM counts it (cost 1e10) */
struct measured_program {
    const struct step *steps;
    int nsteps;
    uint64_t hash;
    double throughput; /* 1 / mean seconds, or MEASURED_SET_FAILED */
};
struct measured_set {
    struct map known; /* state hash -> number, in the order told */
    int n;
    struct measured_program *best; /* nbest of them, best first, ties in the order told */
    int nbest, most;
    struct arena *steps;
    int copied; /* programs in steps */
};

/* Keeps at most the `most` best. Ends with the arena. */
void measured_set_open(struct measured_set *m, struct arena *a, int most);
void measured_set_tell(struct measured_set *m, const struct candidate *c, const struct sample *s,
                       int n); /* repeats are ignored */
/* As tell of struct searcher, of one whose state begins with its measured set and needs no more. */
bool measured_set_told(void *self, const struct candidate *c, const struct sample *s, int n, struct err *err);
/* Was it among the first n? */
bool measured_set_knew(const struct measured_set *m, uint64_t hash, int n);
bool measured_set_knows(const struct measured_set *m, uint64_t hash);
