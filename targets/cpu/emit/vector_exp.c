/* SPDX-License-Identifier: Apache-2.0 */
/* vector_exp: exp(x) = 2^n * exp(r), n = round(x / ln 2), r in +-0.35 by two-step reduction, exp(r) by the degree 6
 * polynomial of Cephes (expf.c, Moshier). Below -87.3 the result stops at 2^-126, above 88.7 it is infinity; a NaN
 * stays. */
#include "targets/cpu/emit/vector_exp.h"

static LLVMValueRef every(struct emitter *em, double f)
{
    return emitter_splat(em, LLVMConstReal(em->f32, f));
}

/* a * b + c */
static LLVMValueRef mul_add(struct emitter *em, LLVMValueRef a, LLVMValueRef b, LLVMValueRef c)
{
    LLVMValueRef m = LLVMBuildFMul(em->builder, a, b, ""), s = LLVMBuildFAdd(em->builder, m, c, "");
    if (em->machine->contract) {
        LLVMSetFastMathFlags(m, LLVMFastMathAllowContract);
        LLVMSetFastMathFlags(s, LLVMFastMathAllowContract);
    }
    return s;
}

static LLVMValueRef clamp(struct emitter *em, LLVMValueRef x, LLVMRealPredicate when, double bound)
{
    LLVMValueRef b = every(em, bound);
    return LLVMBuildSelect(em->builder, LLVMBuildFCmp(em->builder, when, x, b, ""), b, x, "");
}

LLVMValueRef emit_vector_exp(struct emitter *em, LLVMValueRef x)
{
    static const double c[] = {1.9875691500e-4, 1.3981999507e-3, 8.3334519073e-3,
                               4.1665795894e-2, 1.6666665459e-1, 5.0000001201e-1};
    LLVMTypeRef wide = LLVMTypeOf(x), whole = emitter_wide(em, em->i32);
    x = clamp(em, clamp(em, x, LLVMRealOLT, -87.3365447), LLVMRealOGT, 88.7228394);
    LLVMValueRef n = LLVMBuildFMul(em->builder, x, every(em, 1.44269504088896341), "");
    n = emitter_intrinsic(em, "llvm.rint", &wide, 1, &n, 1);
    LLVMValueRef r = mul_add(em, n, every(em, -0.693359375), x), p = every(em, c[0]);
    r = mul_add(em, n, every(em, 2.12194440e-4), r);
    for (int i = 1; i < 6; i++)
        p = mul_add(em, p, r, every(em, c[i]));
    p = mul_add(em, p, LLVMBuildFMul(em->builder, r, r, ""), r);
    p = LLVMBuildFAdd(em->builder, p, every(em, 1), "");
    LLVMValueRef e = LLVMBuildFPToSI(em->builder, n, whole, "");
    e = LLVMBuildAdd(em->builder, e, emitter_splat(em, emitter_i32(em, 127)), "");
    e = LLVMBuildShl(em->builder, e, emitter_splat(em, emitter_i32(em, 23)), "");
    return LLVMBuildFMul(em->builder, p, LLVMBuildBitCast(em->builder, e, wide, ""), "");
}
