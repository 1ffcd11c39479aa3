/* SPDX-License-Identifier: Apache-2.0 */
/* superiority: Wilson's interval is the set of shares that the counts do not refute; it has a formula. */
#include "harness/stats/superiority.h"

#include "harness/stats/normal.h"

#include <math.h>

struct superiority superiority_counts(int wins, int ties, int losses, double confidence)
{
    int n = wins + ties + losses;
    struct superiority s = {.wins = wins, .ties = ties, .losses = losses, .share = NAN, .low = NAN, .high = NAN};
    if (n < 1)
        return s;
    s.share = (wins + 0.5 * ties) / n;
    double z = normal_two_sided(confidence), z2 = z * z / n, p = s.share;
    double half = z * sqrt(p * (1 - p) / n + z2 / (4 * n));
    s.low = fmax(0, (p + z2 / 2 - half) / (1 + z2));
    s.high = fmin(1, (p + z2 / 2 + half) / (1 + z2));
    return s;
}

struct superiority superiority_paired(const double *ratios, int n, double margin, double confidence)
{
    int wins = 0, losses = 0;
    for (int i = 0; i < n; i++) {
        wins += ratios[i] > 1 + margin;
        losses += ratios[i] < 1 / (1 + margin);
    }
    return superiority_counts(wins, n - wins - losses, losses, confidence);
}
