/* SPDX-License-Identifier: Apache-2.0 */
/* chi_square: the incomplete gamma function, by the power series DLMF 8.11.4 below the mean and by the continued
 * fraction DLMF 8.9.2 with the modified Lentz method above it. */
#include "harness/stats/chi_square.h"

#include <float.h>
#include <math.h>

enum { TERMS = 1000000 };

/* x^a e^-x / Gamma(a); lgamma_r, because lgamma writes a global. */
static double front(double a, double x)
{
    int sign;
    return exp(a * log(x) - x - lgamma_r(a, &sign));
}

/* P(a, x) = front * (1/a + x/(a(a+1)) + x^2/(a(a+1)(a+2)) + ...) */
static double lower(double a, double x)
{
    double term = 1 / a, sum = term;
    for (int k = 1; k < TERMS && term > sum * DBL_EPSILON / 4; k++)
        sum += term *= x / (a + k);
    return sum * front(a, x);
}

/* Q(a, x) = front * 1/(x+1-a - 1(1-a)/(x+3-a - 2(2-a)/(x+5-a - ...))) */
static double upper(double a, double x)
{
    double b = x + 1 - a, c = 1 / DBL_MIN, d = 1 / b, f = d;
    for (int k = 1; k < TERMS; k++) {
        double step = -k * (k - a);
        b += 2;
        d = 1 / (b + step * d);
        c = b + step / c;
        f *= d * c;
        if (fabs(d * c - 1) < DBL_EPSILON)
            break;
    }
    return f * front(a, x);
}

double chi_square_gamma(double a, double x)
{
    if (!(a > 0) || !(x >= 0))
        return NAN;
    if (x == 0 || isinf(x))
        return x == 0 ? 1 : 0;
    return x < a + 1 ? 1 - lower(a, x) : upper(a, x);
}

double chi_square_p(double statistic, double df)
{
    return chi_square_gamma(df / 2, statistic / 2);
}
