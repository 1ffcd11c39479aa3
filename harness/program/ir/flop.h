/* SPDX-License-Identifier: Apache-2.0 */
/* flop: how many operations an op does, by the rules of ansor.md 1.5 (TVM's FlopEstimator). */
#pragma once
#include "harness/program/ir/op.h"

double flop_op(const struct op *op); /* -1: unknown */
