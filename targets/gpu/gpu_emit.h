/* SPDX-License-Identifier: Apache-2.0 */
/* gpu_emit: loop nest -> the source of kernels, in CUDA C or OpenCL C. The code does what the schedule says, as TVM
 * v0.16's CUDA does: loops, vectors and unrolling, virtual threads interleaved, barriers. The rest is left to the
 * vendor's compiler. */
#pragma once
#include "harness/base/text.h"
#include "harness/program/ir/nest.h"
#include "targets/gpu/dialect.h"
#include "targets/gpu/gpu_program.h"

/* Appends the source to out and fills p. False: the nest cannot run on a GPU as it is (loops of one axis of two
 * lengths, say), or needs what is not emitted. Adds index forms to the nest's atoms. Memory from a. */
MUST_CHECK bool gpu_emit(struct arena *a, const struct nest *n, const struct dialect *d, struct gpu_program *p,
                         struct text *out, struct err *err);
