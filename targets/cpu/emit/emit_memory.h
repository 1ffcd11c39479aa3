/* SPDX-License-Identifier: Apache-2.0 */
/* emit_memory: loads and stores of tensor elements under the lanes, condition and mask in force. */
#pragma once
#include "targets/cpu/emit/emitter.h"

struct cell emit_load(struct emitter *em, const struct buffer *b, const struct affine *index);
void emit_store(struct emitter *em, const struct buffer *b, const struct affine *index, struct cell value);
/* The same at a form, with neither condition nor mask, not remembered. */
LLVMValueRef emit_load_at(struct emitter *em, const struct buffer *b, const struct form *f);
void emit_store_at(struct emitter *em, const struct buffer *b, const struct form *f, LLVMValueRef v);
/* A register's worth at p, of the lanes in force: masked by mask (NULL: all) and by the tail. */
LLVMValueRef emit_read(struct emitter *em, LLVMTypeRef element, LLVMValueRef p, LLVMValueRef mask);
void emit_write(struct emitter *em, LLVMTypeRef element, LLVMValueRef p, LLVMValueRef v, LLVMValueRef mask);
