/* SPDX-License-Identifier: Apache-2.0 */
/* superiority: both intervals are sets of shares that the data do not refute; Wilson's has a formula, Newcombe's is
 * found by halving. */
#include "harness/stats/superiority.h"

#include "harness/stats/normal.h"

#include <math.h>

static struct superiority share_of(int wins, int ties, int losses)
{
    double n = (double)wins + ties + losses;
    struct superiority s = {.wins = wins, .ties = ties, .losses = losses, .low = NAN, .high = NAN};
    s.share = n > 0 ? (wins + 0.5 * ties) / n : NAN;
    return s;
}

struct superiority superiority_paired(const double *ratios, int n, double margin, double confidence)
{
    int wins = 0, losses = 0;
    for (int i = 0; i < n; i++) {
        wins += ratios[i] > 1 + margin;
        losses += ratios[i] < 1 / (1 + margin);
    }
    struct superiority s = share_of(wins, n - wins - losses, losses);
    if (n < 1)
        return s;
    double z = normal_two_sided(confidence), z2 = z * z / n, p = s.share;
    double half = z * sqrt(p * (1 - p) / n + z2 / (4 * n));
    s.low = fmax(0, (p + z2 / 2 - half) / (1 + z2));
    s.high = fmin(1, (p + z2 / 2 + half) / (1 + z2));
    return s;
}

/* Newcombe's variance of the share when the true one is t. */
static double variance(double t, int na, int nb)
{
    double half = (na + nb) / 2.0 - 1;
    return t * (1 - t) * (1 + half * ((1 - t) / (2 - t) + t / (1 + t))) / ((double)na * nb);
}

/* The end of the interval on the side of `edge` (0 or 1): the last share not refuted. */
static double limit(double share, double edge, double z, int na, int nb)
{
    double inside = share, outside = edge;
    for (int i = 0; i < 100; i++) {
        double middle = (inside + outside) / 2;
        if (fabs(share - middle) <= z * sqrt(variance(middle, na, nb)))
            inside = middle;
        else
            outside = middle;
    }
    return inside;
}

struct superiority superiority_unpaired(const double *a, int na, const double *b, int nb, double confidence)
{
    int wins = 0, ties = 0;
    for (int i = 0; i < na; i++)
        for (int j = 0; j < nb; j++) {
            wins += a[i] > b[j];
            ties += a[i] == b[j];
        }
    struct superiority s = share_of(wins, ties, na * nb - wins - ties);
    if (na < 1 || nb < 1)
        return s;
    double z = normal_two_sided(confidence);
    s.low = s.share > 0 ? limit(s.share, 0, z, na, nb) : 0;
    s.high = s.share < 1 ? limit(s.share, 1, z, na, nb) : 1;
    return s;
}
