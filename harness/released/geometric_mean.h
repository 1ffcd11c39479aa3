/* SPDX-License-Identifier: Apache-2.0 */
/* geometric_mean: of ratios that come one by one. */
#pragma once

struct geometric_mean {
    double logs; /* sum of the logarithms */
    int n;
};
void geometric_mean_add(struct geometric_mean *m, double ratio);
double geometric_mean_of(const struct geometric_mean *m); /* NaN without a ratio */
