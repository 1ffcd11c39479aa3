/* SPDX-License-Identifier: Apache-2.0 */
/* ledger: what a searcher has been told: the measured candidates of its task with their throughput. It is all the
 * memory a searcher needs across rounds, and tell rebuilds it on resume. Owns its memory. */
#pragma once
#include "harness/base/map.h"
#include "harness/plug/candidate.h"
#include "harness/plug/sample.h"

#define LEDGER_FAILED 1e-10 /* throughput of a failure, as TVM counts it (cost 1e10) */
struct ledger_line {
    const struct step *steps;
    int nsteps;
    uint64_t hash;
    double throughput; /* 1 / mean seconds, or LEDGER_FAILED */
};
struct ledger {
    struct arena *arena;
    struct map known; /* state hash -> line */
    struct ledger_line *lines;
    int n, cap;
};

void ledger_open(struct ledger *l);
void ledger_close(struct ledger *l);
void ledger_tell(struct ledger *l, const struct candidate *c, const struct sample *s, int n); /* repeats are ignored */
bool ledger_knows(const struct ledger *l, uint64_t hash);
/* Line numbers of the best most lines, best first, ties in order told; returns how many. */
int ledger_best(const struct ledger *l, int most, int *out);
