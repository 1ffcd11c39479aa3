/* SPDX-License-Identifier: Apache-2.0 */
/* c_source: an optimised module of LLVM's as C for gcc 12 and later and for clang: its functions, static all of them,
 * behind the types they need. Vectors stay vectors, so it runs about as fast as what LLVM makes of the module. */
#pragma once
#include "harness/base/err.h"
#include "harness/base/text.h"
#include "targets/cpu/llvm.h"

/* vector_bytes: of a register. The names of the module's values are lost. False: the code has what C cannot say. */
MUST_CHECK bool c_source(LLVMModuleRef m, int vector_bytes, struct text *out, struct err *err);
