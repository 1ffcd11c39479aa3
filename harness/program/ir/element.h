/* SPDX-License-Identifier: Apache-2.0 */
/* element: one element of a tensor in memory as a double, and back. */
#pragma once
#include "harness/program/ir/dtype.h"

/* Element i of those at `at`; of an int64_t above 2^53 the nearest double. */
double element_get(enum dtype t, const void *at, int64_t i);
/* Floats are rounded to the type, whole numbers cut towards 0; a bool is whether v is not 0. */
void element_put(enum dtype t, void *at, int64_t i, double v);
