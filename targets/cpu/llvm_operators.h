/* SPDX-License-Identifier: Apache-2.0 */
/* llvm_operators: operators of expressions (harness/program/ir/expr.h) as LLVM instructions, for scalars and for
 * vectors, as both code generators emit them. */
#pragma once
#include "harness/program/ir/expr.h"
#include "targets/cpu/llvm.h"

/* EXPR_ADD to EXPR_MAX on reals; flags: LLVMFastMathFlags of sums and products. NULL: not such an operator. */
LLVMValueRef llvm_operator_real(LLVMBuilderRef b, enum expr_kind k, LLVMValueRef x, LLVMValueRef y, unsigned flags);
/* EXPR_ADD to EXPR_MAX on whole numbers; no_wrap: sums and products do not overflow. NULL: not such an operator. */
LLVMValueRef llvm_operator_whole(LLVMBuilderRef b, enum expr_kind k, LLVMValueRef x, LLVMValueRef y, bool no_wrap);
/* EXPR_LT to EXPR_NE, on reals or on whole numbers. */
LLVMValueRef llvm_operator_compare(LLVMBuilderRef b, enum expr_kind k, bool real, LLVMValueRef x, LLVMValueRef y);
/* x of dtype from as dtype to, whose LLVM type (a vector's, where x is one) is t. */
LLVMValueRef llvm_operator_cast(LLVMBuilderRef b, enum dtype from, enum dtype to, LLVMValueRef x, LLVMTypeRef t);
