/* SPDX-License-Identifier: Apache-2.0 */
/* c_value: operands and arithmetic. */
#include "targets/cpu/export/c_value.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

static const char *name_of(LLVMValueRef v)
{
    size_t n;
    return LLVMGetValueName2(v, &n);
}

bool c_is_inline(LLVMValueRef v)
{
    return LLVMIsAInstruction(v) && name_of(v)[0] == 'i';
}

const char *c_global(struct c_emitter *e, LLVMValueRef v)
{
    char *s = arena_str(e->arena, name_of(v));
    for (char *c = s; *c; c++)
        if (!isalnum((unsigned char)*c))
            *c = '_';
    return s;
}

const char *c_variable(struct c_emitter *e, LLVMValueRef v, int part)
{
    struct c_type t = c_type_of(e, LLVMTypeOf(v));
    return t.parts > 1 ? arena_printf(e->arena, "%s_%d", name_of(v), part) : arena_str(e->arena, name_of(v));
}

/* ---- constants ---- */

static const char *real(struct c_emitter *e, LLVMValueRef v, bool is_float)
{
    LLVMBool lost;
    double x = LLVMConstRealGetDouble(v, &lost);
    if (isnan(x))
        return is_float ? "__builtin_nanf(\"\")" : "__builtin_nan(\"\")";
    if (isinf(x))
        return arena_printf(e->arena, "%s__builtin_inf%s()", x < 0 ? "-" : "", is_float ? "f" : "");
    if (x == rint(x) && fabs(x) < 1e6)
        return arena_printf(e->arena, "%.1f%s", x, is_float ? "f" : "");
    return arena_printf(e->arena, "%a%s", x, is_float ? "f" : "");
}

/* A lane of i1 in a vector is all ones. */
static const char *scalar_constant(struct c_emitter *e, LLVMValueRef v, struct c_type t, bool mask)
{
    if (LLVMIsUndef(v) || LLVMIsNull(v))
        return t.kind == C_POINTER ? "(char *)0" : t.kind == C_F32 ? "0.0f" : t.kind == C_F64 ? "0.0" : "0";
    if (LLVMIsAConstantFP(v))
        return real(e, v, t.kind == C_F32);
    if (LLVMIsAConstantInt(v))
        return mask ? "~0u"
                    : arena_printf(e->arena, "%llu%s", LLVMConstIntGetZExtValue(v), t.kind == C_U64 ? "ull" : "u");
    if (LLVMIsAConstantExpr(v) && LLVMGetConstOpcode(v) == LLVMGetElementPtr)
        return arena_printf(e->arena, "(%s)", e->expression(e, v, 0));
    if (LLVMIsAFunction(v))
        return c_global(e, v);
    if (LLVMIsAGlobalValue(v))
        return arena_printf(e->arena, "(char *)%s", c_global(e, v));
    c_fail(e, "the code has a constant that C has not");
    return "0";
}

static const char *constant(struct c_emitter *e, LLVMValueRef v, int part)
{
    struct c_type t = c_type_of(e, LLVMTypeOf(v));
    if (LLVMGetTypeKind(LLVMTypeOf(v)) != LLVMVectorTypeKind)
        return scalar_constant(e, v, t, false);
    if (t.lanes == 1)
        return scalar_constant(e, LLVMGetAggregateElement(v, 0), t, false);
    struct text out = {0};
    text_printf(&out, "(%s){", c_type_name(e, t, false));
    if (LLVMIsNull(v) || LLVMIsUndef(v))
        text_add(&out, "0");
    else
        for (int i = part * t.part; i < (part + 1) * t.part; i++) {
            LLVMValueRef lane = i < t.lanes ? LLVMGetAggregateElement(v, (unsigned)i) : NULL;
            text_printf(&out, "%s%s", i % t.part ? ", " : "", lane ? scalar_constant(e, lane, t, t.bits == 1) : "0");
        }
    text_add(&out, "}");
    return text_keep(&out, e->arena);
}

const char *c_operand(struct c_emitter *e, LLVMValueRef v, int part)
{
    if (c_is_inline(v))
        return arena_printf(e->arena, "(%s)", e->expression(e, v, part));
    if (LLVMIsAInstruction(v) || LLVMIsAArgument(v))
        return c_variable(e, v, part);
    return constant(e, v, part);
}

/* ---- arithmetic ---- */

const char *c_wrapped(struct c_emitter *e, struct c_type t, const char *x)
{
    if (t.lanes > 1 || t.bits == 32 || t.bits == 64)
        return x;
    if (t.bits == 8 || t.bits == 16)
        return arena_printf(e->arena, "(%s)(%s)", c_type_name(e, t, false), x);
    return arena_printf(e->arena, "(%s) & %lluu%s", x, (1ull << t.bits) - 1, t.bits > 32 ? "ll" : "");
}

const char *c_signed(struct c_emitter *e, struct c_type t, const char *x)
{
    if (t.lanes == 1 && t.bits == 1)
        return arena_printf(e->arena, "(-(int8_t)%s)", x);
    if (t.lanes == 1 && t.bits != 8 && t.bits != 16 && t.bits != 32 && t.bits != 64)
        return arena_printf(e->arena, "((int64_t)((uint64_t)%s << %d) >> %d)", x, 64 - t.bits, 64 - t.bits);
    return arena_printf(e->arena, "(%s)%s", c_type_name(e, t, true), x);
}

static const struct {
    LLVMOpcode opcode;
    const char *sign;
    bool is_signed;
} BINARY[] = {{LLVMAdd, "+", false},  {LLVMSub, "-", false},  {LLVMMul, "*", false},   {LLVMShl, "<<", false},
              {LLVMUDiv, "/", false}, {LLVMURem, "%", false}, {LLVMLShr, ">>", false}, {LLVMAnd, "&", false},
              {LLVMOr, "|", false},   {LLVMXor, "^", false},  {LLVMSDiv, "/", true},   {LLVMSRem, "%", true},
              {LLVMAShr, ">>", true}, {LLVMFAdd, "+", false}, {LLVMFSub, "-", false},  {LLVMFMul, "*", false},
              {LLVMFDiv, "/", false}};
enum { NBINARY = sizeof BINARY / sizeof *BINARY };

static int binary_of(LLVMOpcode o)
{
    for (int i = 0; i < NBINARY; i++)
        if (BINARY[i].opcode == o)
            return i;
    return -1;
}

static const char *binary(struct c_emitter *e, LLVMValueRef v, int k, int part)
{
    struct c_type t = c_type_of(e, LLVMTypeOf(v));
    const char *x = c_operand(e, LLVMGetOperand(v, 0), part), *y = c_operand(e, LLVMGetOperand(v, 1), part);
    if (t.kind <= C_F64)
        return arena_printf(e->arena, "%s %s %s", x, BINARY[k].sign, y);
    if (t.lanes > 1 && t.bits != 1 && t.bits != 8 && t.bits != 16 && t.bits != 32 && t.bits != 64)
        c_fail(e, "the code has vectors of integers of %d bits", t.bits);
    if (BINARY[k].is_signed) {
        const char *r = arena_printf(e->arena, "%s %s %s", c_signed(e, t, x), BINARY[k].sign,
                                     BINARY[k].opcode == LLVMAShr && t.lanes == 1 ? y : c_signed(e, t, y));
        return c_wrapped(e, t, arena_printf(e->arena, "(%s)(%s)", c_type_name(e, t, false), r));
    }
    const char *wide = t.lanes == 1 && t.bits < 32 ? "(uint32_t)" : "";
    return c_wrapped(e, t, arena_printf(e->arena, "%s%s %s %s", wide, x, BINARY[k].sign, y));
}

static const char *compared(struct c_emitter *e, struct c_type t, const char *x, const char *sign, const char *y)
{
    if (t.lanes == 1)
        return arena_printf(e->arena, "%s %s %s", x, sign, y);
    const char *mask = c_type_mask(e, t, false);
    if (t.kind == C_F32 || t.kind == C_U32)
        return arena_printf(e->arena, "(%s)(%s %s %s)", mask, x, sign, y);
    return arena_printf(e->arena, "(%s)__builtin_convertvector(%s %s %s, %s)", mask, x, sign, y,
                        c_type_mask(e, t, true));
}

static const char *icmp(struct c_emitter *e, LLVMValueRef v, int part)
{
    static const char *const SIGNS[] = {
        [LLVMIntEQ] = "==",  [LLVMIntNE] = "!=", [LLVMIntUGT] = ">",  [LLVMIntUGE] = ">=", [LLVMIntULT] = "<",
        [LLVMIntULE] = "<=", [LLVMIntSGT] = ">", [LLVMIntSGE] = ">=", [LLVMIntSLT] = "<",  [LLVMIntSLE] = "<="};
    LLVMIntPredicate p = LLVMGetICmpPredicate(v);
    struct c_type t = c_type_of(e, LLVMTypeOf(LLVMGetOperand(v, 0)));
    const char *x = c_operand(e, LLVMGetOperand(v, 0), part), *y = c_operand(e, LLVMGetOperand(v, 1), part);
    if (p >= LLVMIntSGT) {
        x = c_signed(e, t, x);
        y = c_signed(e, t, y);
    }
    return compared(e, t, x, SIGNS[p], y);
}

static const char *inverse(struct c_emitter *e, struct c_type t, const char *x)
{
    return arena_printf(e->arena, "%s(%s)", t.lanes == 1 ? "!" : "~", x);
}

/* Ordered comparisons are C's; the others are what is left. */
static const char *fcmp(struct c_emitter *e, LLVMValueRef v, int part)
{
    struct c_type t = c_type_of(e, LLVMTypeOf(LLVMGetOperand(v, 0)));
    const char *x = c_operand(e, LLVMGetOperand(v, 0), part), *y = c_operand(e, LLVMGetOperand(v, 1), part);
    const char *both = t.lanes == 1 ? "&&" : "&", *either = t.lanes == 1 ? "||" : "|";
    const char *ordered =
        arena_printf(e->arena, "(%s) %s (%s)", compared(e, t, x, "==", x), both, compared(e, t, y, "==", y));
    const char *differ =
        arena_printf(e->arena, "(%s) %s (%s)", compared(e, t, x, "<", y), either, compared(e, t, x, ">", y));
    switch (LLVMGetFCmpPredicate(v)) {
    case LLVMRealOEQ:
        return compared(e, t, x, "==", y);
    case LLVMRealOGT:
        return compared(e, t, x, ">", y);
    case LLVMRealOGE:
        return compared(e, t, x, ">=", y);
    case LLVMRealOLT:
        return compared(e, t, x, "<", y);
    case LLVMRealOLE:
        return compared(e, t, x, "<=", y);
    case LLVMRealUNE:
        return compared(e, t, x, "!=", y);
    case LLVMRealONE:
        return differ;
    case LLVMRealUEQ:
        return inverse(e, t, differ);
    case LLVMRealORD:
        return ordered;
    case LLVMRealUNO:
        return inverse(e, t, ordered);
    case LLVMRealUGT:
        return inverse(e, t, compared(e, t, x, "<=", y));
    case LLVMRealUGE:
        return inverse(e, t, compared(e, t, x, "<", y));
    case LLVMRealULT:
        return inverse(e, t, compared(e, t, x, ">=", y));
    case LLVMRealULE:
        return inverse(e, t, compared(e, t, x, ">", y));
    default:
        c_fail(e, "the code has a comparison that is always true or false");
        return "0";
    }
}

/* "max", "min": the larger or the smaller of two floats, or the second where one is no number; NULL: none. */
static const char *extreme_of(LLVMValueRef v)
{
    LLVMValueRef by = LLVMGetOperand(v, 0), x = LLVMGetOperand(v, 1), y = LLVMGetOperand(v, 2);
    if (!LLVMIsAFCmpInst(by) || LLVMGetOperand(by, 0) != x || LLVMGetOperand(by, 1) != y)
        return NULL;
    LLVMRealPredicate p = LLVMGetFCmpPredicate(by);
    return p == LLVMRealOGT ? "max" : p == LLVMRealOLT ? "min" : NULL;
}

static const char *select_of(struct c_emitter *e, LLVMValueRef v, int part)
{
    struct c_type t = c_type_of(e, LLVMTypeOf(v)), by = c_type_of(e, LLVMTypeOf(LLVMGetOperand(v, 0)));
    const char *c = c_operand(e, LLVMGetOperand(v, 0), part), *x = c_operand(e, LLVMGetOperand(v, 1), part),
               *y = c_operand(e, LLVMGetOperand(v, 2), part);
    if (by.lanes == 1)
        return arena_printf(e->arena, "%s ? %s : %s", c, x, y);
    if (extreme_of(v))
        return arena_printf(e->arena, "%s(%s, %s)", c_helper(e, t, extreme_of(v)), x, y);
    return arena_printf(e->arena, "%s(%s, %s, %s)", c_helper(e, t, "select"), c, x, y);
}

/* ---- casts ---- */

/* The same bits as another type, part by part where both have as many lanes. */
static const char *bitcast(struct c_emitter *e, LLVMValueRef v, int part)
{
    LLVMValueRef of = LLVMGetOperand(v, 0);
    struct c_type to = c_type_of(e, LLVMTypeOf(v)), from = c_type_of(e, LLVMTypeOf(of));
    const char *x = c_operand(e, of, part), *name = c_type_name(e, to, false);
    bool whole = to.part == to.lanes && from.part == from.lanes && to.bits != 1 && from.bits != 1;
    if (to.lanes == 1 && from.lanes > 1 && from.bits == 1)
        return arena_printf(e->arena, "(%s)%s(%s, %d)", name, c_helper(e, from, "bits"), x, from.lanes);
    if (to.lanes != from.lanes && !whole)
        c_fail(e, "the code takes %d lanes for %d others", from.lanes, to.lanes);
    if (to.lanes > 1 && from.lanes > 1)
        return arena_printf(e->arena, "(%s)%s", name, x);
    if (to.lanes == from.lanes && to.kind == from.kind)
        return x;
    return arena_printf(e->arena, "((union { %s x; %s y; }){.x = %s}).y", c_type_name(e, from, false), name, x);
}

static const char *converted(struct c_emitter *e, struct c_type to, bool to_signed, const char *x)
{
    return arena_printf(e->arena, "__builtin_convertvector(%s, %s)", x, c_type_name(e, to, to_signed));
}

static const char *vector_cast(struct c_emitter *e, LLVMOpcode o, struct c_type to, struct c_type from, const char *x)
{
    const char *name = c_type_name(e, to, false);
    if (from.bits == 1 && from.kind == C_U32) /* masks are all ones */
        x = arena_printf(e->arena, o == LLVMSExt || o == LLVMSIToFP ? "%s" : "(%s & 1)", x);
    if (to.bits == 1 && to.kind == C_U32)
        return arena_printf(e->arena, "(%s)-(%s & 1)", name, converted(e, to, true, x));
    switch (o) {
    case LLVMSExt:
    case LLVMSIToFP:
        return arena_printf(
            e->arena, "(%s)%s", name,
            converted(e, to, o == LLVMSExt, arena_printf(e->arena, "((%s)%s)", c_type_name(e, from, true), x)));
    case LLVMFPToSI:
        return arena_printf(e->arena, "(%s)%s", name, converted(e, to, true, x));
    case LLVMPtrToInt:
    case LLVMIntToPtr:
        return x;
    default:
        return converted(e, to, false, x);
    }
}

static const char *cast(struct c_emitter *e, LLVMValueRef v, LLVMOpcode o, int part)
{
    LLVMValueRef of = LLVMGetOperand(v, 0);
    struct c_type to = c_type_of(e, LLVMTypeOf(v)), from = c_type_of(e, LLVMTypeOf(of));
    const char *x = c_operand(e, of, part), *name = c_type_name(e, to, false);
    if (to.lanes > 1)
        return vector_cast(e, o, to, from, x);
    if (o == LLVMSExt || o == LLVMSIToFP)
        x = c_signed(e, from, x);
    if (o == LLVMFPToSI)
        x = arena_printf(e->arena, "(%s)%s", c_type_name(e, to, true), x);
    return c_wrapped(e, to, arena_printf(e->arena, "(%s)%s", name, x));
}

bool c_is_arithmetic(LLVMOpcode o)
{
    return binary_of(o) >= 0 || (o >= LLVMTrunc && o <= LLVMBitCast) || o == LLVMICmp || o == LLVMFCmp ||
           o == LLVMSelect || o == LLVMFNeg || o == LLVMFreeze;
}

const char *c_arithmetic(struct c_emitter *e, LLVMValueRef v, int part)
{
    LLVMOpcode o = LLVMGetInstructionOpcode(v);
    int k = binary_of(o);
    if (k >= 0)
        return binary(e, v, k, part);
    switch (o) {
    case LLVMICmp:
        return icmp(e, v, part);
    case LLVMFCmp:
        return fcmp(e, v, part);
    case LLVMSelect:
        return select_of(e, v, part);
    case LLVMFNeg:
        return arena_printf(e->arena, "-%s", c_operand(e, LLVMGetOperand(v, 0), part));
    case LLVMFreeze:
        return c_operand(e, LLVMGetOperand(v, 0), part);
    case LLVMBitCast:
        return bitcast(e, v, part);
    default:
        return cast(e, v, o, part);
    }
}
