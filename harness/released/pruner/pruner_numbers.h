/* SPDX-License-Identifier: Apache-2.0 */
/* pruner_numbers: what the public results of arXiv 2402.02361 say when they are computed again, a list of named
 * numbers. Text, JSON and claims show the same list. Ratios above 1 favour Pruner, unless a title says otherwise. */
#pragma once
#include "harness/released/pruner/pruner_release.h"

struct pruner_number {
    const char *table;             /* parity, parity_network, latency, printed, printed_network, curve */
    const char *machine, *network; /* "" where it has none; machine "all": over the three */
    const char *column, *title;
    double value;   /* NAN: the files do not tell */
    double printed; /* what the paper says; NAN: it does not */
};
struct pruner_numbers {
    const struct pruner_release *release;
    struct arena *arena;
    VEC(struct pruner_number) all; /* freed with the arena */
};
/* NAN: not in these files. machine and network as in the list. */
double pruner_numbers_value(const struct pruner_numbers *x, const char *table, const char *machine, const char *network,
                            const char *column);
/* All numbers of a release, in a, which frees the list of out: out must live as long as a, and r must outlive it. */
void pruner_reanalysis_make(struct arena *a, const struct pruner_release *r, struct pruner_numbers *out);
