/* SPDX-License-Identifier: Apache-2.0 */
/* chi_square_test: do counts follow a given distribution. For the tests that check sampling and mutation against the
 * probabilities of the papers. */
#pragma once
#include <stdint.h>

struct chi_square_test {
    int64_t total;
    double statistic, df, p;
};

/* n counts against shares >= 0 (their sum is scaled to 1). Cells that expect fewer than 5 are taken together, so that
 * the distribution holds. A count in a cell of share 0 is impossible: p is 0. p is NaN (no verdict) when nothing was
 * counted or when fewer than two cells are left. */
struct chi_square_test chi_square_test(const int64_t *counts, const double *shares, int n);
