/* SPDX-License-Identifier: Apache-2.0 */
/* tiling: multi-level tiling by a structure string such as "SSRSRS" (harness/doc/ansor.md, "Multi-level tiling"): every
 * S is one part of each spatial axis, every R one part of each reduce axis; tile lengths stay open. Follow tiling
 * splits a consumer the same way. */
#pragma once
#include "harness/program/schedule/schedule.h"

#define TILING_AXES 64 /* a stage may have at most so many iterators before tiling; lists of steps are as long */

bool tiling_structure_ok(const char *structure); /* letters S and R only, one S at least, 2 to 16 letters */
/* Splits every iterator of the stage, then reorders. spatial_steps receives the history positions of the spatial
 * splits. */
MUST_CHECK bool tiling_apply(struct state *s, int stage, const char *structure, int spatial_steps[TILING_AXES],
                             int *nspatial, struct err *err);
/* Splits the i-th (spatial) iterator into level+1 parts with the factors of split sources[i], then reorders part by
 * part. */
MUST_CHECK bool tiling_follow(struct state *s, int stage, const int *sources, int nsources, int level, struct err *err);
