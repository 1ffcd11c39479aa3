/* SPDX-License-Identifier: Apache-2.0 */
/* c_value: LLVM's values as expressions of C, part by part (c_type.h). */
#pragma once
#include "targets/cpu/export/c_type.h"

/* Instructions bear names by now: "v12" is a variable, "i12" stands where it is used (c_source.c). */
bool c_is_inline(LLVMValueRef v);
/* The variable of a part of a value. */
const char *c_variable(struct c_emitter *e, LLVMValueRef v, int part);
/* A part of a value, as an operand: in parentheses where it is more than a word. In the emitter's arena. */
const char *c_operand(struct c_emitter *e, LLVMValueRef v, int part);
/* An integer x, or a vector of them: of a width that C has not, cut to it; as a number with a sign. */
const char *c_wrapped(struct c_emitter *e, struct c_type t, const char *x);
const char *c_signed(struct c_emitter *e, struct c_type t, const char *x);
/* Arithmetic, comparisons, choices and casts. */
bool c_is_arithmetic(LLVMOpcode o);
const char *c_arithmetic(struct c_emitter *e, LLVMValueRef instruction, int part);
/* The name of a function or of other data that the module has, as C may have it. */
const char *c_global(struct c_emitter *e, LLVMValueRef v);
