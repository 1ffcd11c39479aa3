/* SPDX-License-Identifier: Apache-2.0 */
/* emit_expr: if_then_else(c, x, 0) where x is a load is just the load: one that must not be made gives 0
 * (vector_access.c). So padding costs a select of the address and no branch. */
#include "targets/cpu/emit/emit_expr.h"

#include "harness/program/ir/dtype.h"
#include "targets/cpu/emit/emit_memory.h"
#include "targets/cpu/emit/index_value.h"
#include "targets/cpu/emit/vector_exp.h"
#include "targets/cpu/llvm_operators.h"

#include <string.h>

static struct lane_value emit_expr(struct emitter *em, const struct value *v);

static LLVMTypeRef value_type(const struct emitter *em, enum dtype t)
{
    return t == DTYPE_BOOL ? em->i1 : emitter_type(em, t);
}

static struct lane_value known_bool(struct emitter *em, bool b)
{
    return (struct lane_value){.v = LLVMConstInt(em->i1, b, false)};
}

/* ---- integers ---- */

/* What the index adds lane by lane: 0, 4, 8, ... */
static LLVMValueRef ramp(struct emitter *em, LLVMTypeRef t, const struct index_value *ix)
{
    LLVMValueRef at[LANES_MAX];
    for (int i = 0; i < em->lanes.width; i++)
        at[i] = LLVMConstInt(t, (unsigned long long)(i < em->lanes.count ? index_value_lane(em, ix, i) : 0), true);
    return LLVMConstVector(at, (unsigned)em->lanes.width);
}

static struct lane_value emit_index(struct emitter *em, struct affine a)
{
    struct index_value ix;
    if (index_value_resolve(em, a, &ix)) {
        struct lane_value c = {.v = index_value_scalar(em, &ix), .wide = index_value_is_wide(&ix)};
        if (c.wide)
            c.v = LLVMBuildAdd(em->builder, emitter_splat(em, c.v), ramp(em, em->i64, &ix), "");
        return c;
    }
    struct lanes lanes = em->lanes;
    LLVMValueRef out = LLVMGetPoison(emitter_wide(em, em->i64));
    if (em->failed || lanes.width == 1)
        return (struct lane_value){.v = LLVMGetPoison(em->i64)};
    for (int i = 0; i < lanes.count; i++) {
        struct index_value_saved saved = index_value_begin_lane(em, i);
        LLVMValueRef one = index_value_resolve(em, a, &ix) ? index_value_scalar(em, &ix) : emitter_i64(em, 0);
        index_value_end_lane(em, &saved);
        out = LLVMBuildInsertElement(em->builder, out, one, emitter_i32(em, i), "");
    }
    return (struct lane_value){.v = out, .wide = true};
}

/* ix >= 0. *known as in emit_guard_mask. */
static struct lane_value at_least_zero(struct emitter *em, struct index_value ix, int *known)
{
    int64_t lo, hi;
    index_value_range(em, &ix, &lo, &hi);
    *known = lo >= 0 ? 1 : hi < 0 ? 0 : -1;
    if (*known >= 0)
        return (struct lane_value){.v = NULL};
    int64_t base = ix.base;
    ix.base = 0;
    struct lane_value c = {.v = index_value_scalar(em, &ix), .wide = index_value_is_wide(&ix)};
    if (!c.wide) {
        c.v = LLVMBuildICmp(em->builder, LLVMIntSGE, c.v, emitter_i64(em, -base), "");
        return c;
    }
    /* 32 bits are enough if all values and the constant fit into them */
    bool narrow = lo > INT32_MIN && hi < INT32_MAX && base > INT32_MIN && base < INT32_MAX;
    LLVMTypeRef t = narrow ? em->i32 : em->i64;
    LLVMValueRef s = narrow ? LLVMBuildTrunc(em->builder, c.v, t, "") : c.v;
    LLVMValueRef sum = LLVMBuildAdd(em->builder, emitter_splat(em, s), ramp(em, t, &ix), "");
    LLVMValueRef bound = LLVMConstInt(t, (unsigned long long)-base, true), all[LANES_MAX];
    for (int i = 0; i < em->lanes.width; i++)
        all[i] = bound;
    c.v = LLVMBuildICmp(em->builder, LLVMIntSGE, sum, LLVMConstVector(all, (unsigned)em->lanes.width), "");
    return c;
}

static struct lane_value lane_value_and(struct emitter *em, struct lane_value a, struct lane_value b)
{
    if (!a.v || !b.v)
        return a.v ? a : b;
    struct lane_value c = {.wide = a.wide || b.wide};
    c.v = c.wide ? LLVMBuildAnd(em->builder, emitter_widen(em, a), emitter_widen(em, b), "")
                 : LLVMBuildAnd(em->builder, a.v, b.v, "");
    return c;
}

static struct lane_value guard_by_value(struct emitter *em, struct affine a, int64_t lo, int64_t hi)
{
    struct lane_value v = emit_index(em, a), c = {.wide = v.wide};
    LLVMValueRef low = NULL, high = NULL, bound;
    if (lo != INT64_MIN) {
        bound = v.wide ? emitter_splat(em, emitter_i64(em, lo)) : emitter_i64(em, lo);
        low = LLVMBuildICmp(em->builder, LLVMIntSGE, v.v, bound, "");
    }
    if (hi != INT64_MAX) {
        bound = v.wide ? emitter_splat(em, emitter_i64(em, hi)) : emitter_i64(em, hi);
        high = LLVMBuildICmp(em->builder, LLVMIntSLT, v.v, bound, "");
    }
    c.v = emitter_and(em, low, high);
    return c;
}

struct lane_value emit_guard_mask(struct emitter *em, struct affine index, int64_t lo, int64_t hi, int *known)
{
    struct index_value ix, left = {.base = 0};
    struct lane_value low = {.v = NULL}, high = {.v = NULL};
    int low_known = 1, high_known = 1;
    *known = -1;
    if (!index_value_resolve(em, index, &ix))
        return guard_by_value(em, index, lo, hi);
    if (lo != INT64_MIN) {
        left = ix;
        left.base -= lo;
        low = at_least_zero(em, left, &low_known);
    }
    if (hi != INT64_MAX) { /* hi - 1 - ix >= 0 */
        left = (struct index_value){.base = hi - 1};
        index_value_add(em, &left, &ix, -1);
        high = at_least_zero(em, left, &high_known);
    }
    if (low_known == 0 || high_known == 0)
        *known = 0;
    else if (low_known == 1 && high_known == 1)
        *known = 1;
    return lane_value_and(em, low, high);
}

/* x OP y for two index values, through emit_guard_mask on their difference. */
static bool compare_indices(struct emitter *em, const struct value *v, struct lane_value *out)
{
    static const struct {
        int64_t lo, hi; /* of x - y; below hi */
    } BOUNDS[] = {{INT64_MIN, 0}, {INT64_MIN, 1}, {1, INT64_MAX}, {0, INT64_MAX}, {0, 1}, {0, 1}}; /* LT to NE */
    const struct value *x = v->args[0], *y = v->args[1];
    if (x->kind != EXPR_INDEX || (y->kind != EXPR_INDEX && y->kind != EXPR_INT) || v->kind < EXPR_LT ||
        v->kind > EXPR_NE)
        return false;
    struct affine b = y->kind == EXPR_INT ? affine_const(y->i) : *y->index;
    struct affine a = affine_sub(em->nest->atoms, *x->index, b);
    int known;
    *out = emit_guard_mask(em, a, BOUNDS[v->kind - EXPR_LT].lo, BOUNDS[v->kind - EXPR_LT].hi, &known);
    if (known >= 0)
        *out = known_bool(em, known);
    if (v->kind == EXPR_NE)
        out->v = LLVMBuildNot(em->builder, out->v, "");
    return true;
}

/* ---- operators ---- */

static LLVMValueRef floor_div_mod(struct emitter *em, LLVMValueRef x, LLVMValueRef y, bool mod)
{
    LLVMBuilderRef b = em->builder;
    LLVMValueRef zero = LLVMConstNull(LLVMTypeOf(x)), r = LLVMBuildSRem(b, x, y, "");
    LLVMValueRef off = LLVMBuildAnd(b, LLVMBuildICmp(b, LLVMIntNE, r, zero, ""),
                                    LLVMBuildICmp(b, LLVMIntSLT, LLVMBuildXor(b, r, y, ""), zero, ""), "");
    if (mod)
        return LLVMBuildAdd(b, r, LLVMBuildSelect(b, off, y, zero, ""), "");
    return LLVMBuildSub(b, LLVMBuildSDiv(b, x, y, ""), LLVMBuildZExt(b, off, LLVMTypeOf(x), ""), "");
}

static LLVMValueRef integer_op(struct emitter *em, enum expr_kind k, LLVMValueRef x, LLVMValueRef y)
{
    if (k == EXPR_FLOORDIV || k == EXPR_FLOORMOD)
        return floor_div_mod(em, x, y, k == EXPR_FLOORMOD);
    LLVMValueRef v = llvm_operator_whole(em->builder, k, x, y, false);
    if (!v)
        emitter_fail(em, "'%s' on integers is not emitted", expr_word(k));
    return v ? v : x;
}

static LLVMValueRef float_op(struct emitter *em, enum expr_kind k, LLVMValueRef x, LLVMValueRef y)
{
    unsigned flags = (em->machine->contract ? LLVMFastMathAllowContract : 0u) |
                     (em->machine->reassociate ? LLVMFastMathAllowReassoc : 0u);
    LLVMValueRef v = llvm_operator_real(em->builder, k, x, y, flags);
    if (!v)
        emitter_fail(em, "'%s' on reals is not emitted", expr_word(k));
    return v ? v : x;
}

static struct lane_value binary_value(struct emitter *em, const struct value *v)
{
    struct lane_value c;
    if (v->kind >= EXPR_LT && v->kind <= EXPR_NE && compare_indices(em, v, &c))
        return c;
    struct lane_value x = emit_expr(em, v->args[0]), y = emit_expr(em, v->args[1]);
    bool real = dtype_is_float(v->args[0]->dtype);
    c.wide = x.wide || y.wide;
    if (c.wide) {
        x.v = emitter_widen(em, x);
        y.v = emitter_widen(em, y);
    }
    if (v->kind >= EXPR_LT && v->kind <= EXPR_NE)
        c.v = llvm_operator_compare(em->builder, v->kind, real, x.v, y.v);
    else if (v->kind == EXPR_AND)
        c.v = LLVMBuildAnd(em->builder, x.v, y.v, "");
    else if (v->kind == EXPR_OR)
        c.v = LLVMBuildOr(em->builder, x.v, y.v, "");
    else
        c.v = real ? float_op(em, v->kind, x.v, y.v) : integer_op(em, v->kind, x.v, y.v);
    return c;
}

/* ---- conditions ---- */

static bool has_load(const struct value *v)
{
    if (v->kind == EXPR_LOAD)
        return true;
    for (int i = 0; i < v->nargs; i++)
        if (has_load(v->args[i]))
            return true;
    return false;
}

static bool is_zero(const struct value *v)
{
    return (v->kind == EXPR_FLOAT && v->f == 0) || (v->kind == EXPR_INT && v->i == 0);
}

/* A branch of an IF: its loads are made only where the condition holds. */
static struct lane_value branch_value(struct emitter *em, const struct value *v, struct lane_value cond, bool negate)
{
    LLVMValueRef when = em->condition, mask = em->mask;
    if (has_load(v)) {
        LLVMValueRef c = negate ? LLVMBuildNot(em->builder, cond.v, "") : cond.v;
        if (cond.wide)
            em->mask = emitter_and(em, mask, c);
        else
            em->condition = emitter_and(em, when, c);
    }
    struct lane_value out = emit_expr(em, v);
    em->condition = when;
    em->mask = mask;
    return out;
}

static struct lane_value select_value(struct emitter *em, const struct value *v)
{
    struct lane_value cond = emit_expr(em, v->args[0]), c;
    if (LLVMIsAConstantInt(cond.v))
        return emit_expr(em, v->args[LLVMConstIntGetZExtValue(cond.v) ? 1 : 2]);
    bool lazy = v->kind == EXPR_IF;
    struct lane_value x = lazy ? branch_value(em, v->args[1], cond, false) : emit_expr(em, v->args[1]);
    if (lazy && v->args[1]->kind == EXPR_LOAD && is_zero(v->args[2]) && (!cond.wide || x.wide))
        return x;
    struct lane_value y = lazy ? branch_value(em, v->args[2], cond, true) : emit_expr(em, v->args[2]);
    c.wide = cond.wide || x.wide || y.wide;
    if (c.wide) {
        x.v = emitter_widen(em, x);
        y.v = emitter_widen(em, y);
    }
    c.v = LLVMBuildSelect(em->builder, cond.v, x.v, y.v, "");
    return c;
}

/* ---- functions ---- */

static LLVMValueRef call_libm(struct emitter *em, const char *name, LLVMValueRef x)
{
    LLVMTypeRef t = LLVMTypeOf(x), type = LLVMFunctionType(t, &t, 1, false);
    LLVMValueRef f = LLVMGetNamedFunction(em->module, name);
    if (!f)
        f = LLVMAddFunction(em->module, name, type);
    return LLVMBuildCall2(em->builder, type, f, &x, 1, "");
}

/* kind: EXP to ERF. */
static struct lane_value call_function(struct emitter *em, enum expr_kind kind, bool single, struct lane_value x)
{
    static const char *const names[][2] = {
        {"expf", "exp"}, {"logf", "log"}, {NULL, NULL}, {"tanhf", "tanh"}, {"erff", "erf"}};
    if (kind == EXPR_SQRT) {
        LLVMTypeRef t = LLVMTypeOf(x.v);
        return (struct lane_value){.v = emitter_intrinsic(em, "llvm.sqrt", &t, 1, &x.v, 1), .wide = x.wide};
    }
    if (kind == EXPR_EXP && single && x.wide)
        return (struct lane_value){.v = emit_vector_exp(em, x.v), .wide = true};
    const char *name = names[kind - EXPR_EXP][!single];
    if (!x.wide)
        return (struct lane_value){.v = call_libm(em, name, x.v)};
    LLVMValueRef out = LLVMGetPoison(LLVMTypeOf(x.v));
    for (int i = 0; i < em->lanes.count; i++) {
        LLVMValueRef one = LLVMBuildExtractElement(em->builder, x.v, emitter_i32(em, i), "");
        out = LLVMBuildInsertElement(em->builder, out, call_libm(em, name, one), emitter_i32(em, i), "");
    }
    return (struct lane_value){.v = out, .wide = true};
}

/* sigmoid(x) = 1 / (1 + exp(-x)), rsqrt(x) = 1 / sqrt(x) */
static struct lane_value reciprocal_value(struct emitter *em, const struct value *v)
{
    struct lane_value x = emit_expr(em, v->args[0]), one = {.v = LLVMConstReal(value_type(em, v->dtype), 1)};
    bool single = v->dtype == DTYPE_F32;
    if (v->kind == EXPR_SIGMOID)
        x.v = LLVMBuildFNeg(em->builder, x.v, "");
    struct lane_value y = call_function(em, v->kind == EXPR_SIGMOID ? EXPR_EXP : EXPR_SQRT, single, x);
    if (y.wide)
        one = (struct lane_value){.v = emitter_widen(em, one), .wide = true};
    if (v->kind == EXPR_SIGMOID)
        y.v = LLVMBuildFAdd(em->builder, one.v, y.v, "");
    return (struct lane_value){.v = LLVMBuildFDiv(em->builder, one.v, y.v, ""), .wide = y.wide};
}

static struct lane_value call_value(struct emitter *em, const struct value *v)
{
    return v->kind == EXPR_SIGMOID || v->kind == EXPR_RSQRT
               ? reciprocal_value(em, v)
               : call_function(em, v->kind, v->dtype == DTYPE_F32, emit_expr(em, v->args[0]));
}

static struct lane_value cast_value(struct emitter *em, const struct value *v)
{
    struct lane_value x = emit_expr(em, v->args[0]);
    enum dtype from = v->args[0]->dtype, to = v->dtype;
    LLVMTypeRef t = value_type(em, to);
    if (x.wide)
        t = emitter_wide(em, t);
    x.v = llvm_operator_cast(em->builder, from, to, x.v, t);
    return x;
}

static struct lane_value emit_expr(struct emitter *em, const struct value *v)
{
    switch (v->kind) {
    case EXPR_INT:
        return (struct lane_value){.v = LLVMConstInt(value_type(em, v->dtype), (unsigned long long)v->i, true)};
    case EXPR_FLOAT:
        return (struct lane_value){.v = LLVMConstReal(value_type(em, v->dtype), v->f)};
    case EXPR_LOAD:
        return emit_load(em, v->buffer, v->index);
    case EXPR_INDEX: {
        struct lane_value c = emit_index(em, *v->index);
        if (v->dtype == DTYPE_I32)
            c.v = LLVMBuildIntCast2(em->builder, c.v, c.wide ? emitter_wide(em, em->i32) : em->i32, true, "");
        return c;
    }
    case EXPR_SELECT:
    case EXPR_IF:
        return select_value(em, v);
    case EXPR_NOT: {
        struct lane_value x = emit_expr(em, v->args[0]);
        x.v = LLVMBuildNot(em->builder, x.v, "");
        return x;
    }
    case EXPR_EXP:
    case EXPR_LOG:
    case EXPR_SQRT:
    case EXPR_TANH:
    case EXPR_ERF:
    case EXPR_SIGMOID:
    case EXPR_RSQRT:
        return call_value(em, v);
    case EXPR_CAST:
        return cast_value(em, v);
    case EXPR_AXIS:
    case EXPR_COUNT:
        emitter_fail(em, "'%s' cannot stand in a nest", expr_word(v->kind));
        return (struct lane_value){.v = LLVMGetPoison(value_type(em, v->dtype))};
    default:
        return binary_value(em, v);
    }
}

void emit_store_stmt(struct emitter *em, const struct stmt *s)
{
    emit_store(em, s->buffer, s->index, emit_expr(em, s->value));
}
