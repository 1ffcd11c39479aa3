/* SPDX-License-Identifier: Apache-2.0 */
/* tvm_stmt: statements of a planned nest, and the kernel around them. */
#pragma once
#include "targets/cpu/tvm/tvm_plan.h"

/* The whole kernel, with the interface of targets/cpu/codegen.h. */
void tvm_kernel(struct tvm_emitter *em);
