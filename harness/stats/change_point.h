/* SPDX-License-Identifier: Apache-2.0 */
/* change_point: has the level of a row of nights changed somewhere, be it in one step or slowly. The weekly step fit
 * (harness/doc/measurement.md) asks that of the history; this is the rank sum of the nights before against those after,
 * at the split where it stands out most (the statistic of Pettitt 1979, standardised at each split so that an uneven
 * one has its chance), with a permutation test that knows that the split was chosen. The seed of the permutations is
 * fixed: alarms that do not repeat are why Hunter gave permutations up (arXiv 2301.03034). */
#pragma once

enum { CHANGE_POINT_DRAWS = 4999 };

struct change_point {
    int at;       /* the later part begins here, least <= at <= n - least; 0: fewer than 2 least levels */
    double p;     /* of the split that stands out most, for orders of the same levels; 1/(draws + 1) at least; NaN */
    double ratio; /* later / earlier, geometric means; NaN */
};
/* levels: n > 0 values in the order of time; least: on either side of a split, 1 or more. O(draws n). */
struct change_point change_point_of(const double *levels, int n, int least);
