/* SPDX-License-Identifier: Apache-2.0 */
/* c_memory: addresses, loads, stores and calls. */
#pragma once
#include "targets/cpu/export/c_type.h"

/* Of a getelementptr, instruction or constant. */
const char *c_address(struct c_emitter *e, LLVMValueRef v, int part);
const char *c_load(struct c_emitter *e, LLVMValueRef v, int part);
const char *c_call(struct c_emitter *e, LLVMValueRef v, int part); /* one with a result */
bool c_is_function(LLVMValueRef v); /* a call whose result hangs on its arguments alone */
/* Statements of what has no result: stores, calls. False: it has one, or is none of these. */
bool c_statement(struct c_emitter *e, LLVMValueRef instruction);
