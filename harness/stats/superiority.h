/* SPDX-License-Identifier: Apache-2.0 */
/* superiority: how often does A beat B, as a share: an effect size that says what a speedup of 1.03 does not, namely
 * whether it can be counted on. Ties count a half. */
#pragma once

struct superiority {
    int wins, ties, losses;
    double share;     /* (wins + ties/2) / all; 0.5: no difference; NaN when nothing was compared */
    double low, high; /* interval of the share */
};

/* Paired by seed: ratios above 1 are wins, and inside [1/(1 + margin), 1 + margin] ties (practice.md 3.3: margin =
 * max(2 %, 2 x A/A floor)). Wilson's score interval (1927), a little wide with ties, as half points vary less. */
struct superiority superiority_paired(const double *ratios, int n, double margin, double confidence);

/* Independent samples: each value of a against each of b, larger wins, equal ties. Interval: Newcombe, Statistics in
 * Medicine 25 (2006) 559-573, method 5, which has its coverage also for few values and shares near 0 or 1. */
struct superiority superiority_unpaired(const double *a, int na, const double *b, int nb, double confidence);
