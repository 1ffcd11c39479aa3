/* SPDX-License-Identifier: Apache-2.0 */
/* superiority: how often does A beat B, as a share: an effect size that says what a speedup of 1.03 does not, namely
 * whether it can be counted on. Ties count a half. */
#pragma once

struct superiority {
    int wins, ties, losses;
    double share;     /* (wins + ties/2) / all; 0.5: no difference; NaN when nothing was compared */
    double low, high; /* interval of the share */
};

/* Paired by seed: ratios above 1 are wins, and inside [1/(1 + margin), 1 + margin] ties (margin =
 * max(2 %, 2 x noise floor)). Wilson's score interval (1927), a little wide with ties, as half points vary less. */
struct superiority superiority_paired(const double *ratios, int n, double margin, double confidence);
/* The same of counts that are known. */
struct superiority superiority_counts(int wins, int ties, int losses, double confidence);
