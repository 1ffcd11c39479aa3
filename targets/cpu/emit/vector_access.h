/* SPDX-License-Identifier: Apache-2.0 */
/* vector_access: loads and stores of a register's worth of elements, one per lane, where the index is known. How memory
 * is reached depends on the distance between the lanes' elements. */
#pragma once
#include "targets/cpu/emit/index_value.h"

/* Stores v to consecutive elements at p, under mask (NULL: all lanes). */
void vector_store(struct emitter *em, LLVMTypeRef element, LLVMValueRef p, LLVMValueRef v, LLVMValueRef mask);
/* One element. It is read only under the scalar condition `when` (NULL: always), else the result is 0. */
LLVMValueRef access_load_one(struct emitter *em, const struct buffer *b, const struct index_value *ix,
                             LLVMValueRef when);
/* One element per lane, under em->condition and em->mask. ix NULL: b[index] has no index value, and each lane is
 * computed by itself; index is used for nothing else. */
LLVMValueRef access_load_lanes(struct emitter *em, const struct buffer *b, const struct affine *index,
                               const struct index_value *ix);
void access_store_lanes(struct emitter *em, const struct buffer *b, const struct affine *index,
                        const struct index_value *ix, LLVMValueRef v);
/* True if every lane has its own copy of the elements, side by side (a tensor allocated inside the vector loop). */
bool access_is_private(const struct emitter *em, const struct buffer *b);
/* Load and store at ix with neither condition nor mask: scalar or one element per lane, as the lanes are. */
LLVMValueRef access_load(struct emitter *em, const struct buffer *b, const struct index_value *ix);
void access_store(struct emitter *em, const struct buffer *b, const struct index_value *ix, LLVMValueRef v);
