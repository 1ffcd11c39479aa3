/* SPDX-License-Identifier: Apache-2.0 */
/* permutation: could a mean difference be chance? It is compared with those of the same pairs with their signs changed.
 * Fisher, The Design of Experiments (1935), section 21. And Holm's correction for asking it of many networks. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

enum { PERMUTATION_EXACT = 20, PERMUTATION_DRAWS = 99999, PERMUTATION_SEED = 20 };

struct permutation {
    int n;
    double p;     /* two-sided; NaN when n = 0 */
    double least; /* the least p that n pairs can give: 2^(1-n) exact, 1/(draws + 1) drawn */
    bool exact;   /* all 2^n sign patterns were looked at, else a sample of them */
};

/* Paired differences (of log ratios). Exact for n <= PERMUTATION_EXACT, else `draws` patterns under `seed`; then p
 * counts the observed pattern too (Phipson and Smyth 2010), so it is never 0 and the test keeps its size. */
struct permutation permutation_signs(const double *differences, int n, int draws, uint64_t seed);

/* Two independent samples: the permutation test of the rank sum (Wilcoxon, Mann and Whitney), two-sided, exact with
 * ties too (midranks): the share of all choices of na ranks whose sum is at least as far from its mean. O((na + nb)^2
 * na^2) adds, so meant for na + nb <= 200; beyond, the normal approximation with tie correction. NaN when a side is
 * empty. */
double permutation_ranks(const double *a, int na, const double *b, int nb);

/* Holm (1979): adjusted[i] <= alpha rejects hypothesis i with family-wise error alpha. NaN p values are not part of the
 * family and stay NaN. In place is fine. */
void permutation_holm(const double *p, int n, double *adjusted);
