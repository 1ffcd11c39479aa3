/* SPDX-License-Identifier: Apache-2.0 */
/* access: loads and stores of tensor elements under the lanes, condition and mask in force. */
#pragma once
#include "targets/cpu/emitter.h"

struct cell access_load(struct emitter *em, const struct buffer *b, const struct affine *index);
void access_store(struct emitter *em, const struct buffer *b, const struct affine *index, struct cell value);
/* The same at a form, with neither condition nor mask, not remembered. */
LLVMValueRef access_load_form(struct emitter *em, const struct buffer *b, const struct form *f);
void access_store_form(struct emitter *em, const struct buffer *b, const struct form *f, LLVMValueRef v);
/* A register's worth at p, of the lanes in force: masked by mask (NULL: all) and by the tail. */
LLVMValueRef access_read(struct emitter *em, LLVMTypeRef element, LLVMValueRef p, LLVMValueRef mask);
void access_write(struct emitter *em, LLVMTypeRef element, LLVMValueRef p, LLVMValueRef v, LLVMValueRef mask);
