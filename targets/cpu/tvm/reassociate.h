/* SPDX-License-Identifier: Apache-2.0 */
/* reassociate: what LLVM 17 does in its pass of that name, for LLVM 16. The pass writes sums and products of integers
 * anew, and clears their flags nsw and nuw. Two things differ, in Reassociate.cpp:
 * - LLVM 16 brings the pair of terms that occurs most often to the front, wherever the terms are defined. LLVM 17 does
 * so only among terms of the block of the first ones (ReassociateExpression, "CSE-local"), so that no term of an inner
 *   loop comes before those of outer loops.
 * - LLVM 16 clears the flags of the whole tree, LLVM 17 up to the topmost operation whose operands changed
 *   (RewriteExprTree).
 * Without the flag at the top of an index LLVM cannot make it a 64-bit address: the innermost loop computes each
 * address anew, and is often not vectorised. */
#pragma once
#include "harness/base/map.h"
#include "harness/base/vec.h"
#include "targets/cpu/tvm/older_llvm.h"

struct integer_operand {
    LLVMValueRef value, shifted; /* value is `shifted` times `factor` when that is not 0 */
    uint64_t factor;
};
struct integer_sum { /* an integer addition, multiplication or `or` before the pass */
    LLVMOpcode opcode;
    struct integer_operand operands[2];
    bool nsw, nuw;
};
struct reassociate {
    const struct older_llvm *llvm;
    struct map at; /* instruction -> index of sums */
    VEC(struct integer_sum) sums;
    struct map pairs; /* two terms -> sums that have both */
    struct map ranks; /* value -> its rank; the block's, for a block */
};
void reassociate_before(struct reassociate *r, const struct older_llvm *llvm, LLVMModuleRef m);
void reassociate_after(struct reassociate *r, LLVMModuleRef m); /* puts terms in order, gives flags back */
void reassociate_free(struct reassociate *r);
