/* SPDX-License-Identifier: Apache-2.0 */
/* taken_kernels: what the cells of a scan look like that take kernels from an earlier network (harness/tune/plan.h):
 * as if they had searched all of their kernels themselves. */
#pragma once
#include "harness/record/record_scan.h"

/* Changes the finished cells that take kernels: sums, improvements and rounds of these become part of them, the clock
 * goes on by what they took, and the CPU time by their share. Rounds stand in the order in which the cell's scheduler
 * would have had them: kernel after kernel, or one round of each kernel in turn. Failures stay counted once. Memory
 * from a. */
void taken_kernels_join(struct arena *a, struct record_scan *s);
