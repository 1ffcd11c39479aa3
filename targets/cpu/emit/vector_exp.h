/* SPDX-License-Identifier: Apache-2.0 */
/* vector_exp: exp of a vector of floats in line, within 2 units in the last place between -87 and 88. */
#pragma once
#include "targets/cpu/emitter.h"

LLVMValueRef emit_vector_exp(struct emitter *em, LLVMValueRef x);
