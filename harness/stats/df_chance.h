/* SPDX-License-Identifier: Apache-2.0 */
/* df_chance: how likely a design reaches so many degrees of freedom of the spread between seeds (pooled.h), before it
 * runs. Rows x (seeds - 1) is the most that there can be, and is reached only where all rows spread alike: rows differ,
 * and of few seeds the spread itself is known badly. */
#pragma once

/* Spread of the logs of rows' standard deviations: the middle of what the runs of 2026-11-22 and 23 in results/table3,
 * parity and exploiters show, 0.0 to 1.0 (moments: variance of the logs of the variances, less that of the logs of a
 * chi square with their degrees of freedom, halved). */
#define DF_CHANCE_SPREAD 0.6
#define DF_CHANCE_ENOUGH 0.8 /* a plan calls a claim settled from this chance on */

/* Of DF_CHANCE_DRAWS simulated runs: normal logs, rows' standard deviations log-normal with that spread, a fixed seed.
 * rows: independent ones (networks over their design effect), rounded down. */
enum { DF_CHANCE_DRAWS = 1000 };
struct df_chance {
    double share;  /* of runs that have the degrees of freedom that were asked for */
    double likely; /* what DF_CHANCE_ENOUGH of the runs have at least */
};
struct df_chance df_chance_of(double rows, int seeds, double spread, double df);
