/* SPDX-License-Identifier: Apache-2.0 */
/* tvm_common: what TVM's CommonSubexprElimTIR does (tir/transforms/common_subexpr_elim.cc). Index arithmetic that
 * statements of one region have in common is computed in front of them. A region is what runs from the top of a loop's
 * or a condition's body to its end without what other loops and conditions inside hold.
 *
 * Why it matters: what LLVM can prove of an address depends on how far it is from its use. */
#pragma once
#include "targets/cpu/tvm/tvm_emitter.h"

enum tvm_operation { TVM_NUMBER, TVM_ATOM, TVM_ADD, TVM_SUB, TVM_MUL, TVM_SHIFT, TVM_MASK, TVM_DIVIDE, TVM_REMAINDER };

/* The node of an operation, by number: equal ones are one. TVM_ADD and TVM_SUB: x and y are nodes. TVM_ATOM: x is the
 * atom. Otherwise: x is a node, but for TVM_NUMBER, and k a constant. */
int tvm_node_make(struct tvm_emitter *em, LLVMTypeRef type, enum tvm_operation op, int x, int y, int64_t k);
/* The value of a node: of the region around when it is common there, else computed here. */
LLVMValueRef tvm_node_value(struct tvm_emitter *em, int node);

struct tvm_region;
/* Between open and ready, tvm_region_use counts. ready computes what is used twice. close goes back to the region that
 * was there before. */
struct tvm_region *tvm_region_open(struct tvm_emitter *em);
void tvm_region_use(struct tvm_emitter *em, int node);
void tvm_region_ready(struct tvm_emitter *em);
void tvm_region_close(struct tvm_emitter *em, struct tvm_region *before);
