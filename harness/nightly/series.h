/* SPDX-License-Identifier: Apache-2.0 */
/* series: what nights and folders are compared by: named lists of seconds, each held against the same name of the other
 * side by the rule of harness/doc/measurement.md, "Nightly rule" (harness/stats/regression.h). Of a results folder, for
 * each network and arm: search <network>/<arm>   the network's time, its kernels' best by calls, one value a seed cost
 * <network>/<arm>     seconds a trial of the cell's own clock, one value a seed program <kernel>         re-timed
 * programs, one value a launch, where there was a re-timing A nightly run has pinned programs in their place. */
#pragma once
#include "harness/base/vec.h"
#include "harness/record/store.h"

struct series_value {
    const char *series;
    int ordinal; /* seed, launch */
    double seconds;
};
struct series {
    VEC(struct series_value) all;
};
/* Cells that are whole. A cell with a kernel that no valid program was found for has no value of `search`. */
MUST_CHECK bool series_read(struct arena *a, struct store *s, struct series *out, struct err *err);
void series_free(struct series *s);
/* The values of one name in a, in the order they were added. */
int series_take(const struct series *s, struct arena *a, const char *name, double **out);
/* Its distinct names, in that order, in a. */
int series_names(const struct series *s, struct arena *a, const char ***out);
