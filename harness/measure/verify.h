/* SPDX-License-Identifier: Apache-2.0 */
/* verify: inputs that make errors visible, poison for outputs, and the comparison with a reference at a tolerance
 * derived from dtype and reduction length. */
#pragma once
#include "harness/base/rng.h"
#include "harness/plug/sample.h"
#include "harness/program/ops/task.h"

/* Uniform in lo..hi; whole numbers for integers, 0 and 1 for bool. */
void verify_fill(enum dtype t, void *p, int64_t n, double lo, double hi, struct rng *r);
void verify_poison(enum dtype t, void *p, int64_t n);

/* Largest error that rounding explains, absolute: see verify.c. scale: largest magnitude in the reference. */
double verify_tolerance(enum dtype t, int reduction_length, double scale);
double verify_scale(const double *reference, int64_t n); /* infinite or NaN when an element is */
/* The worst element differs by more than tolerance (or a NaN stands against a number): false, with a message. */
bool verify_compare(const struct op *output, const void *got, const double *reference, int64_t n, double tolerance,
                    char message[SAMPLE_MESSAGE]);
