/* SPDX-License-Identifier: Apache-2.0 */
/* permutation: one addition for each sign pattern, as the sums of some values under all their signs are kept; the first
 * pair keeps its sign, because a pattern and its opposite are equally far from zero. */
#include "harness/stats/permutation.h"

#include "harness/base/err.h"
#include "harness/base/rng.h"
#include "harness/stats/normal.h"
#include "harness/stats/rank.h"

#include <math.h>
#include <stdlib.h>

static double sum_of(const double *v, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += v[i];
    return sum;
}

/* Sums that differ by rounding only are ties, which count against the claim. */
static double threshold(const double *v, int n)
{
    double size = 0;
    for (int i = 0; i < n; i++)
        size += fabs(v[i]);
    return fabs(sum_of(v, n)) - 1e-10 * size;
}

static double enumerate(const double *v, int n)
{
    enum { KEPT = 8 };
    int kept = n - 1 < KEPT ? n - 1 : KEPT, rest = n - 1 - kept;
    uint64_t hits = 0;
    double sums[1 << KEPT] = {0}, least = threshold(v, n);
    for (int i = 0; i < kept; i++)
        for (int k = 0; k < 1 << i; k++) {
            sums[k + (1 << i)] = sums[k] - v[1 + i];
            sums[k] += v[1 + i];
        }
    for (int signs = 0; signs < 1 << rest; signs++) {
        double sum = v[0];
        for (int i = 0; i < rest; i++)
            sum += signs >> i & 1 ? -v[1 + kept + i] : v[1 + kept + i];
        for (int k = 0; k < 1 << kept; k++)
            hits += fabs(sum + sums[k]) >= least;
    }
    return ldexp((double)hits, 1 - n);
}

static double sample(const double *v, int n, int draws, uint64_t seed)
{
    struct rng rng;
    int hits = 0;
    double least = threshold(v, n);
    rng_seed(&rng, seed);
    for (int d = 0; d < draws; d++) {
        double sum = 0;
        uint64_t bits = 0;
        for (int i = 0; i < n; i++) {
            bits = i % 64 ? bits >> 1 : rng_next(&rng);
            sum += bits & 1 ? v[i] : -v[i];
        }
        hits += fabs(sum) >= least;
    }
    return (1.0 + hits) / (1.0 + draws);
}

struct permutation permutation_signs(const double *differences, int n, int draws, uint64_t seed)
{
    struct permutation t = {.n = n, .p = NAN, .least = NAN, .exact = n <= PERMUTATION_EXACT};
    if (n < 1)
        return t;
    t.least = t.exact ? ldexp(1, 1 - n) : 1 / (1.0 + draws);
    t.p = t.exact ? enumerate(differences, n) : sample(differences, n, draws, seed);
    return t;
}

/* ---- rank sums ---- */

static void *room(size_t n, size_t size)
{
    void *p = calloc(n, size);
    if (!p)
        bug("out of memory for %zu ranks", n);
    return p;
}

/* ways[k][s]: choices of k of the ranks seen so far whose doubled sum is s. Counted as shares of all choices in the
 * end; doubles hold C(200, 100). */
static double exact_ranks(const int *twice, int n, int na, int observed)
{
    size_t largest = 0;
    for (int i = 0; i < n; i++)
        largest = (size_t)twice[i] > largest ? (size_t)twice[i] : largest;
    size_t width = (size_t)na * largest + 1; /* no choice of k has a sum beyond k times the largest */
    double *ways = room(width * ((size_t)na + 1), sizeof *ways), far = 0, all = 0;
    ways[0] = 1;
    for (int i = 0; i < n; i++)
        for (int k = i < na ? i + 1 : na; k >= 1; k--)
            for (size_t s = (size_t)twice[i]; s <= (size_t)k * largest; s++)
                ways[(size_t)k * width + s] += ways[(size_t)(k - 1) * width + s - (size_t)twice[i]];
    double mean = (double)na * (n + 1), distance = fabs(observed - mean);
    for (size_t s = 0; s < width; s++) {
        double w = ways[(size_t)na * width + s];
        all += w;
        far += fabs((double)s - mean) >= distance ? w : 0;
    }
    free(ways);
    return far / all;
}

static double normal_ranks(int na, int nb, double ties, int observed)
{
    double n = na + nb, variance = (double)na * nb / 12 * (n + 1 - ties / (n * (n - 1)));
    double off = fabs(observed / 2.0 - na * (n + 1) / 2) - 0.5;
    if (!(variance > 0) || off <= 0)
        return 1;
    return 2 * normal_cdf(-off / sqrt(variance));
}

double permutation_ranks(const double *a, int na, const double *b, int nb)
{
    enum { MOST = 200 };
    if (na < 1 || nb < 1)
        return NAN;
    int n = na + nb, observed = 0;
    int *twice = room((size_t)n, sizeof *twice);
    double *both = room((size_t)n, sizeof *both);
    for (int i = 0; i < n; i++)
        both[i] = i < na ? a[i] : b[i - na];
    double ties = rank_middle(both, n, twice);
    for (int i = 0; i < na; i++)
        observed += twice[i];
    double p = n <= MOST ? exact_ranks(twice, n, na, observed) : normal_ranks(na, nb, ties, observed);
    free(both);
    free(twice);
    return p;
}

/* ---- many tests ---- */

void permutation_holm(const double *p, int n, double *adjusted)
{
    int *order = room((size_t)n + 1, sizeof *order), family = 0;
    double *out = room((size_t)n + 1, sizeof *out), so_far = 0;
    rank_order(p, n, false, order); /* NaN last */
    for (int i = 0; i < n; i++)
        family += !isnan(p[i]);
    for (int i = 0; i < n; i++) {
        int at = order[i];
        so_far = fmax(so_far, fmin(1, (family - i) * p[at]));
        out[at] = isnan(p[at]) ? NAN : so_far;
    }
    for (int i = 0; i < n; i++)
        adjusted[i] = out[i];
    free(order);
    free(out);
}
