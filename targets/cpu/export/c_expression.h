/* SPDX-License-Identifier: Apache-2.0 */
/* c_expression: an instruction as an expression of C, whatever it does. */
#pragma once
#include "targets/cpu/export/c_type.h"

/* What a part of the result of an instruction, or of a constant address, is. */
const char *c_expression(struct c_emitter *e, LLVMValueRef v, int part);
/* Does its result hang on its operands alone? */
bool c_is_pure(LLVMValueRef instruction);
