/* SPDX-License-Identifier: Apache-2.0 */
/* gpu_verify: what a GPU kernel may take of a block: threads, shared and local memory, bytes of a vector (TVM:
 * VerifyGPUCode). */
#pragma once
#include "harness/program/ir/nest.h"
#include "harness/program/schedule/limits.h"

/* Every kernel of the nest, which is a loop over blocks or threads that no other one holds. False: one takes too much,
 * with what and how much. */
MUST_CHECK bool gpu_verify(const struct nest *n, const struct limits *limits, struct err *err);
