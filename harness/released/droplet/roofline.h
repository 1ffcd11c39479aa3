/* SPDX-License-Identifier: Apache-2.0 */
/* roofline: the shortest time a kernel can take on a machine, and which of a network's released times are shorter than
 * any of its kernels allows. The released tables number kernels without saying what they compute, and the order differs
 * between machines; so nothing is said about a row that some assignment of kernels to rows could explain. */
#pragma once
#include "harness/experiment/machine.h"
#include "harness/program/ops/task.h"

/* Seconds: the larger of operations / peak and bytes / memory bandwidth, both from the machine's facts; 0 when neither
 * is given. Convolutions count a quarter of their operations, as Winograd's F(4x4, 3x3) needs; memory counts only when
 * the arguments are more than twice the last-level cache, so that no run can find them there from the run before. */
double roofline_seconds(const struct machine *m, const struct task *t);

/* n rows with times that are trusted, n kernels with bounds. least[i]: the smallest bound that row i's kernel can have
 * in any assignment that gives every row a kernel whose bound is not above its time. False when there is no such
 * assignment. O(n^2 log n). */
bool roofline_least(const double *times, const double *bounds, int n, double *least);
