/* SPDX-License-Identifier: Apache-2.0 */
/* geometric_mean: of ratios that come one by one. */
#pragma once
#include <stdbool.h>

bool ratio_usable(double ratio); /* finite and above 0 */
struct geometric_mean {
    double logs; /* sum of the logarithms */
    int n;
};
void geometric_mean_add(struct geometric_mean *m, double ratio);
void geometric_mean_take(struct geometric_mean *m, double ratio); /* adds it if it is usable */
double geometric_mean_of(const struct geometric_mean *m);         /* NaN without a ratio */
