/* SPDX-License-Identifier: Apache-2.0 */
/* flop: how many operations an op does, by the rules of TVM's FlopEstimator (harness/doc/ansor.md, "Counting
 * operations"). */
#pragma once
#include "harness/program/ir/op.h"

double flop_op(const struct op *op); /* -1: unknown */
