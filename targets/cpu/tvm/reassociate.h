/* SPDX-License-Identifier: Apache-2.0 */
/* reassociate: what LLVM 17 does after its pass of that name, for LLVM 16. The pass writes sums and products of
 * integers anew and clears their flags nsw and nuw. LLVM 16 clears them in the whole tree; LLVM 17 only up to the
 * topmost instruction whose operands changed (RewriteExprTree in Reassociate.cpp). Without the flag at the top of an
 * index LLVM cannot make it a 64-bit address, and the innermost loop computes each address anew: up to twice as slow.
 */
#pragma once
#include "harness/base/map.h"
#include "targets/cpu/tvm/older_llvm.h"

struct integer_sum { /* an integer addition or multiplication before the pass */
    LLVMOpcode opcode;
    LLVMValueRef operands[2];
    bool nsw, nuw;
};
struct reassociate {
    const struct older_llvm *llvm;
    struct map at; /* instruction -> index of sums */
    struct integer_sum *sums;
    size_t n, cap;
};
void reassociate_before(struct reassociate *r, const struct older_llvm *llvm, LLVMModuleRef m);
void reassociate_after(struct reassociate *r, LLVMModuleRef m); /* gives the flags back */
void reassociate_free(struct reassociate *r);
