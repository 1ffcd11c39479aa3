/* SPDX-License-Identifier: Apache-2.0 */
#include "targets/cpu/llvm_operators.h"

static LLVMValueRef flagged(LLVMValueRef v, unsigned flags)
{
    if (flags && LLVMIsAInstruction(v) && LLVMCanValueUseFastMathFlags(v))
        LLVMSetFastMathFlags(v, flags);
    return v;
}

LLVMValueRef llvm_operator_real(LLVMBuilderRef b, enum expr_kind k, LLVMValueRef x, LLVMValueRef y, unsigned flags)
{
    switch (k) {
    case EXPR_ADD:
        return flagged(LLVMBuildFAdd(b, x, y, ""), flags);
    case EXPR_SUB:
        return flagged(LLVMBuildFSub(b, x, y, ""), flags);
    case EXPR_MUL:
        return flagged(LLVMBuildFMul(b, x, y, ""), flags);
    case EXPR_DIV:
        return LLVMBuildFDiv(b, x, y, "");
    case EXPR_MIN: /* one instruction each: this is what minps and maxps compute */
        return LLVMBuildSelect(b, LLVMBuildFCmp(b, LLVMRealOLT, x, y, ""), x, y, "");
    case EXPR_MAX:
        return LLVMBuildSelect(b, LLVMBuildFCmp(b, LLVMRealOGT, x, y, ""), x, y, "");
    default:
        return NULL;
    }
}

LLVMValueRef llvm_operator_whole(LLVMBuilderRef b, enum expr_kind k, LLVMValueRef x, LLVMValueRef y, bool no_wrap)
{
    if (k == EXPR_ADD)
        return no_wrap ? LLVMBuildNSWAdd(b, x, y, "") : LLVMBuildAdd(b, x, y, "");
    if (k == EXPR_SUB)
        return no_wrap ? LLVMBuildNSWSub(b, x, y, "") : LLVMBuildSub(b, x, y, "");
    if (k == EXPR_MUL)
        return no_wrap ? LLVMBuildNSWMul(b, x, y, "") : LLVMBuildMul(b, x, y, "");
    if (k == EXPR_MIN || k == EXPR_MAX)
        return LLVMBuildSelect(b, LLVMBuildICmp(b, k == EXPR_MIN ? LLVMIntSLT : LLVMIntSGT, x, y, ""), x, y, "");
    return k == EXPR_DIV ? LLVMBuildSDiv(b, x, y, "") : NULL;
}

LLVMValueRef llvm_operator_compare(LLVMBuilderRef b, enum expr_kind k, bool real, LLVMValueRef x, LLVMValueRef y)
{
    static const LLVMIntPredicate whole[] = {LLVMIntSLT, LLVMIntSLE, LLVMIntSGT, LLVMIntSGE, LLVMIntEQ, LLVMIntNE};
    static const LLVMRealPredicate reals[] = {LLVMRealOLT, LLVMRealOLE, LLVMRealOGT,
                                              LLVMRealOGE, LLVMRealOEQ, LLVMRealUNE};
    return real ? LLVMBuildFCmp(b, reals[k - EXPR_LT], x, y, "") : LLVMBuildICmp(b, whole[k - EXPR_LT], x, y, "");
}

LLVMValueRef llvm_operator_cast(LLVMBuilderRef b, enum dtype from, enum dtype to, LLVMValueRef x, LLVMTypeRef t)
{
    bool real_from = dtype_is_float(from), real_to = dtype_is_float(to);
    if (to == DTYPE_BOOL) {
        LLVMValueRef zero = LLVMConstNull(LLVMTypeOf(x));
        return real_from ? LLVMBuildFCmp(b, LLVMRealUNE, x, zero, "") : LLVMBuildICmp(b, LLVMIntNE, x, zero, "");
    }
    if (real_from)
        return real_to ? LLVMBuildFPCast(b, x, t, "") : LLVMBuildFPToSI(b, x, t, "");
    if (real_to)
        return from == DTYPE_BOOL ? LLVMBuildUIToFP(b, x, t, "") : LLVMBuildSIToFP(b, x, t, "");
    return LLVMBuildIntCast2(b, x, t, from != DTYPE_BOOL, "");
}
