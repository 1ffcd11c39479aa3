/* SPDX-License-Identifier: Apache-2.0 */
/* t_test: Student's t by the incomplete beta function. The beta function is the continued fraction of DLMF 8.17.22 by
 * the modified Lentz method, used on the side of the mean where it converges fast; both x and 1 - x are carried,
 * because 1 - x computed from x loses every digit of a small t. */
#include "harness/stats/t_test.h"

#include "harness/stats/summary.h"

#include <float.h>
#include <math.h>

static double nonzero(double x)
{
    return fabs(x) < DBL_MIN ? DBL_MIN : x;
}

/* DLMF 8.17.22; converges in O(sqrt(max(a, b))) terms for x < (a + 1) / (a + b + 2). */
static double fraction(double a, double b, double x)
{
    double c = 1, d = 1 / nonzero(1 - (a + b) * x / (a + 1)), f = d;
    for (int m = 1; m < 100000; m++) {
        double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
        d = 1 / nonzero(1 + even * d);
        c = nonzero(1 + even / c);
        f *= d * c;
        double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
        d = 1 / nonzero(1 + odd * d);
        c = nonzero(1 + odd / c);
        f *= d * c;
        if (fabs(d * c - 1) < 4 * DBL_EPSILON)
            break;
    }
    return f;
}

/* lgamma writes a global; lgamma_r does not. */
static double log_gamma(double x)
{
    int sign;
    return lgamma_r(x, &sign);
}

/* ln B(1/2, d) for large d by Stirling differences: subtracting two lgamma of size d ln d would cost its digits. */
static double log_beta(double a, double b)
{
    double small = fmin(a, b), large = fmax(a, b);
    if (large < 100)
        return log_gamma(a) + log_gamma(b) - log_gamma(a + b);
    double s = small + large;
    double tail = (1 / large - 1 / s) / 12 - (1 / (large * large * large) - 1 / (s * s * s)) / 360 +
                  (pow(large, -5) - pow(s, -5)) / 1260;
    if (small >= 100)
        return log_gamma(small) + log_gamma(large) - log_gamma(s);
    return log_gamma(small) + tail + small - small * log(s) - (large - 0.5) * log1p(small / large);
}

double t_test_beta(double a, double b, double x, double y)
{
    if (!(a > 0 && b > 0 && x >= 0 && y >= 0))
        return NAN;
    if (x <= 0 || y <= 0)
        return x <= 0 ? 0 : 1;
    double log_x = x < 0.5 ? log(x) : log1p(-y), log_y = y < 0.5 ? log(y) : log1p(-x);
    double front = exp(a * log_x + b * log_y - log_beta(a, b));
    if (x < (a + 1) / (a + b + 2))
        return front * fraction(a, b, x) / a;
    return 1 - front * fraction(b, a, y) / b;
}

double t_test_p(double t, double df)
{
    if (isnan(t) || !(df > 0))
        return NAN;
    if (isinf(t))
        return 0;
    double square = t * t;
    return t_test_beta(df / 2, 0.5, df / (df + square), square / (df + square));
}

/* p falls with t, so halve; 1e-300 to 1e300 in 1100 steps at most, the usual ones in about 60. */
double t_test_quantile(double confidence, double df)
{
    if (!(confidence >= 0 && confidence < 1) || !(df > 0))
        return NAN;
    double tail = 1 - confidence, low = 0, high = 1;
    if (tail >= 1)
        return 0;
    while (t_test_p(high, df) > tail && high < 1e300)
        high *= 2;
    for (int i = 0; i < 200 && high - low > 1e-15 * high; i++) {
        double middle = (low + high) / 2;
        if (t_test_p(middle, df) > tail)
            low = middle;
        else
            high = middle;
    }
    return (low + high) / 2;
}

/* One constant repeated has exactly that mean; a sum may miss it by a bit, and then noise would pass for variance. */
static double mean_of(const double *v, int n)
{
    for (int i = 1; i < n; i++)
        if (v[i] != v[0])
            return summary_mean(v, n);
    return n > 0 ? v[0] : NAN;
}

static double squares(const double *v, int n, double mean)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += (v[i] - mean) * (v[i] - mean);
    return sum;
}

struct t_test t_test_means(const double *a, int na, const double *b, int nb)
{
    double mean_a = mean_of(a, na), mean_b = mean_of(b, nb);
    struct t_test c = {.t = NAN, .df = na + nb - 2, .p = NAN, .ratio = mean_a / mean_b};
    if (na < 1 || nb < 1 || c.df < 1)
        return c;
    double variance = (squares(a, na, mean_a) + squares(b, nb, mean_b)) / c.df;
    c.t = (mean_a - mean_b) / sqrt(variance * (1.0 / na + 1.0 / nb));
    c.p = t_test_p(c.t, c.df);
    return c;
}
