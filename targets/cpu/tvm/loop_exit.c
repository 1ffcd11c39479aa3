/* SPDX-License-Identifier: Apache-2.0 */
/* loop_exit: of `next == sext(end)`, where next is a counter's next value and the counter begins at sext(smin(..)),
 * `trunc(next) == end` is made. */
#include "targets/cpu/tvm/loop_exit.h"

#include <string.h>

static bool is_a(const struct older_llvm *l, LLVMValueRef v, LLVMOpcode opcode)
{
    return l->LLVMIsAInstruction(v) && l->LLVMGetInstructionOpcode(v) == opcode;
}

/* What a value of 32 bits was before it was sign-extended; NULL: it was not. */
static LLVMValueRef unextended(const struct older_llvm *l, LLVMValueRef v)
{
    return is_a(l, v, LLVMSExt) ? l->LLVMGetOperand(v, 0) : NULL;
}

static bool is_minimum(const struct older_llvm *l, LLVMValueRef v)
{
    static const char NAME[] = "llvm.smin.i32";
    size_t n = 0;
    if (!is_a(l, v, LLVMCall))
        return false;
    const char *name = l->LLVMGetValueName2(l->LLVMGetCalledValue(v), &n);
    return n == strlen(NAME) && !memcmp(name, NAME, n);
}

/* Is next the sum of a loop's counter, which begins at a minimum, and a constant? */
static bool counts_from_minimum(const struct older_llvm *l, LLVMValueRef next)
{
    LLVMValueRef counter = is_a(l, next, LLVMAdd) ? l->LLVMGetOperand(next, 0) : NULL;
    if (!counter || !is_a(l, counter, LLVMPHI) || !l->LLVMIsConstant(l->LLVMGetOperand(next, 1)))
        return false;
    bool found = false, loops = false;
    for (unsigned i = 0; i < l->LLVMCountIncoming(counter); i++) {
        LLVMValueRef from = l->LLVMGetIncomingValue(counter, i), start = unextended(l, from);
        loops |= from == next;
        found |= start && is_minimum(l, start);
    }
    return found && loops;
}

/* The comparison to take for an old one; NULL: none. */
static LLVMValueRef narrowed(const struct older_llvm *l, LLVMBuilderRef b, LLVMValueRef old)
{
    LLVMIntPredicate p = l->LLVMGetICmpPredicate(old);
    LLVMValueRef next = l->LLVMGetOperand(old, 0), end = unextended(l, l->LLVMGetOperand(old, 1));
    if ((p != LLVMIntEQ && p != LLVMIntNE) || !end || !counts_from_minimum(l, next))
        return NULL;
    l->LLVMPositionBuilderBefore(b, old);
    return l->LLVMBuildICmp(b, p, l->LLVMBuildTrunc(b, next, l->LLVMTypeOf(end), ""), end, "");
}

void narrow_loop_exits(const struct older_llvm *l, LLVMModuleRef m)
{
    LLVMBuilderRef b = NULL;
    for (LLVMValueRef f = l->LLVMGetFirstFunction(m); f; f = l->LLVMGetNextFunction(f))
        for (LLVMBasicBlockRef block = l->LLVMGetFirstBasicBlock(f); block; block = l->LLVMGetNextBasicBlock(block))
            for (LLVMValueRef i = l->LLVMGetFirstInstruction(block), after; i; i = after) {
                after = l->LLVMGetNextInstruction(i);
                if (!is_a(l, i, LLVMICmp))
                    continue;
                b = b ? b : l->LLVMCreateBuilderInContext(l->LLVMGetTypeContext(l->LLVMTypeOf(i)));
                LLVMValueRef new = narrowed(l, b, i);
                if (!new)
                    continue;
                l->LLVMReplaceAllUsesWith(i, new);
                l->LLVMInstructionEraseFromParent(i);
            }
    if (b)
        l->LLVMDisposeBuilder(b);
}
