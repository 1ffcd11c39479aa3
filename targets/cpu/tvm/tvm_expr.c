/* SPDX-License-Identifier: Apache-2.0 */
/* tvm_expr: as TVM's CodeGenLLVM emits expressions. A sum with a product in it is one llvm.fmuladd (LowerIntrin). A
 * load or store of consecutive elements is one access of the whole vector, any other is one access a lane.
 * if_then_else is a branch. tanh is its formula in exp (intrin_rule_llvm.cc). Unlike TVM, float operations carry the
 * flag `contract`: LLVM's C interface cannot say that the machine code may fuse, which is what TVM says. */
#include "targets/cpu/tvm/tvm_expr.h"

#include "harness/program/ir/dtype.h"
#include "targets/cpu/llvm_operators.h"
#include "targets/cpu/tvm/tvm_fold.h"
#include "targets/cpu/tvm/tvm_index.h"

#include <math.h>
#include <string.h>

static LLVMTypeRef value_type(const struct tvm_emitter *em, enum dtype t)
{
    return t == DTYPE_BOOL ? em->i1 : tvm_type(em, t);
}

static struct tvm_value scalar(LLVMValueRef v)
{
    return (struct tvm_value){v, 1};
}

static LLVMValueRef widened(struct tvm_emitter *em, struct tvm_value x, int lanes)
{
    return x.lanes == lanes ? x.v : tvm_splat(em, x.v, lanes);
}

static int widen(struct tvm_emitter *em, struct tvm_value *x, struct tvm_value *y)
{
    int lanes = x->lanes > y->lanes ? x->lanes : y->lanes;
    *x = (struct tvm_value){widened(em, *x, lanes), lanes};
    *y = (struct tvm_value){widened(em, *y, lanes), lanes};
    return lanes;
}

static LLVMValueRef contracted(LLVMValueRef v)
{
    if (LLVMIsAInstruction(v) && LLVMCanValueUseFastMathFlags(v))
        LLVMSetFastMathFlags(v, LLVMFastMathAllowContract);
    return v;
}

/* ---- loads and stores ---- */

struct tensor_access {
    const struct buffer *buffer;
    struct tvm_index at;
    LLVMTypeRef type; /* of an element in memory */
};

static struct tensor_access access_of(struct tvm_emitter *em, const struct buffer *b, const struct affine *index)
{
    return (struct tensor_access){b, tvm_index_offset(em, b, index), tvm_type(em, b->dtype)};
}

static LLVMValueRef address(struct tvm_emitter *em, const struct tensor_access *x, struct affine offset)
{
    LLVMValueRef base = em->frame->bases[x->buffer->id], at = tvm_index_value(em, offset);
    if (!base) {
        tvm_fail(em, "tensor %s is used where it does not exist", x->buffer->name);
        base = LLVMGetUndef(em->pointer);
    }
    return LLVMBuildInBoundsGEP2(em->builder, x->type, base, &at, 1, "");
}

static void describe(struct tvm_emitter *em, const struct tensor_access *x, LLVMValueRef instruction, int64_t align)
{
    LLVMSetAlignment(instruction, (unsigned)align);
    tvm_metadata(em, instruction, "tbaa", em->aliases[x->buffer->id]);
}

static int64_t alignment(const struct tvm_emitter *em, const struct tensor_access *x, struct affine offset)
{
    int64_t bytes = dtype_bytes(x->buffer->dtype), on_stack = em->alignments[x->buffer->id];
    int64_t most = on_stack ? on_stack : TVM_ALIGNMENT;
    return bytes * affine_divisor(em->nest->atoms, offset, most > bytes ? most / bytes : 1);
}

static LLVMValueRef load_at(struct tvm_emitter *em, const struct tensor_access *x, struct affine offset, int lanes)
{
    LLVMValueRef p = address(em, x, offset);
    LLVMValueRef v = LLVMBuildLoad2(em->builder, tvm_vector(x->type, lanes), p, "");
    describe(em, x, v, alignment(em, x, offset));
    return v;
}

/* b: NULL: any */
static bool has_load(const struct value *v, const struct buffer *b)
{
    bool has = v->kind == EXPR_LOAD && (!b || v->buffer == b);
    for (int i = 0; i < v->nargs && !has; i++)
        has = has_load(v->args[i], b);
    return has;
}

static bool is_read(const struct stmt *s, const struct buffer *b)
{
    bool is = s->kind == STMT_STORE && has_load(s->value, b);
    for (int i = 0; i < s->nbody && !is; i++)
        is = is_read(s->body[i], b);
    return is;
}

/* LLVM 16's loop-idiom compares each store of a constant with every other to make one memset of them. Of a tensor that
 * is read in the same loop it makes none, but does not know it before. It passes over stores that are nontemporal,
 * which they are until that pass is done (tvm_llvm.c). */
static void store_at(struct tvm_emitter *em, const struct tensor_access *x, struct affine offset, LLVMValueRef v)
{
    LLVMValueRef p = address(em, x, offset), store = LLVMBuildStore(em->builder, v, p);
    describe(em, x, store, alignment(em, x, offset));
    if (em->llvm == 16 && LLVMIsConstant(v) && em->loop && is_read(em->loop, x->buffer)) {
        LLVMMetadataRef one = LLVMValueAsMetadata(tvm_i32(em, 1));
        tvm_metadata(em, store, "nontemporal", LLVMMDNodeInContext2(em->context, &one, 1));
    }
}

/* Element by element: all loads, then the vector. LLVM is given the alignment of an element only. */
static LLVMValueRef load_lanes(struct tvm_emitter *em, const struct tensor_access *x)
{
    LLVMValueRef *v = ARENA_ARRAY(em->arena, LLVMValueRef, em->lanes),
                 out = LLVMGetUndef(tvm_vector(x->type, em->lanes));
    for (int i = 0; i < em->lanes; i++) {
        v[i] = LLVMBuildLoad2(em->builder, x->type, address(em, x, tvm_index_lane(em, &x->at, i)), "");
        describe(em, x, v[i], dtype_bytes(x->buffer->dtype));
    }
    for (int i = 0; i < em->lanes; i++)
        out = LLVMBuildInsertElement(em->builder, out, v[i], tvm_i32(em, i), "");
    return out;
}

static bool is_contiguous(const struct tensor_access *x)
{
    return x->at.pattern == TVM_RAMP && x->at.stride == 1;
}

static struct tvm_value load(struct tvm_emitter *em, const struct value *v)
{
    struct tensor_access x = access_of(em, v->buffer, v->index);
    int lanes = x.at.pattern == TVM_SAME ? 1 : em->lanes;
    LLVMValueRef out = lanes == 1 || is_contiguous(&x) ? load_at(em, &x, x.at.form, lanes) : load_lanes(em, &x);
    if (v->buffer->dtype == DTYPE_BOOL)
        out = LLVMBuildTrunc(em->builder, out, tvm_vector(em->i1, lanes), "");
    return (struct tvm_value){out, lanes};
}

void tvm_store(struct tvm_emitter *em, const struct stmt *s)
{
    const struct value *value = tvm_fold(em, s->value);
    if (tvm_stores_nothing(em, s, value))
        return;
    struct tvm_value v = tvm_expr(em, value);
    struct tensor_access x = access_of(em, s->buffer, s->index);
    int lanes = x.at.pattern == TVM_SAME ? v.lanes : em->lanes;
    v = (struct tvm_value){widened(em, v, lanes), lanes};
    if (s->buffer->dtype == DTYPE_BOOL)
        v.v = LLVMBuildZExt(em->builder, v.v, tvm_vector(em->i8, lanes), "");
    if (lanes == 1 || is_contiguous(&x)) {
        store_at(em, &x, x.at.form, v.v);
        return;
    }
    for (int i = 0; i < lanes; i++) {
        LLVMValueRef one = LLVMBuildExtractElement(em->builder, v.v, tvm_i32(em, i), "");
        LLVMValueRef p = address(em, &x, tvm_index_lane(em, &x.at, i));
        describe(em, &x, LLVMBuildStore(em->builder, one, p), dtype_bytes(s->buffer->dtype));
    }
}

/* ---- operators ---- */

static LLVMValueRef integer_op(struct tvm_emitter *em, enum expr_kind k, LLVMValueRef x, LLVMValueRef y)
{
    LLVMValueRef v = llvm_operator_whole(em->builder, k, x, y, true);
    if (!v)
        tvm_fail(em, "'%s' on integers is not emitted", expr_word(k));
    return v ? v : x;
}

static LLVMValueRef float_op(struct tvm_emitter *em, enum expr_kind k, LLVMValueRef x, LLVMValueRef y)
{
    LLVMValueRef v = llvm_operator_real(em->builder, k, x, y, LLVMFastMathAllowContract);
    if (!v)
        tvm_fail(em, "'%s' on reals is not emitted", expr_word(k));
    return v ? v : x;
}

/* A value that all lanes share becomes a vector before the other one is computed. */
static struct tvm_value beside(struct tvm_emitter *em, const struct value *v, const struct value *other)
{
    struct tvm_value x = tvm_expr(em, v);
    return x.lanes == 1 && tvm_differs_by_lane(em, other) ? (struct tvm_value){tvm_splat(em, x.v, em->lanes), em->lanes}
                                                          : x;
}

static struct tvm_value binary(struct tvm_emitter *em, const struct value *v)
{
    struct tvm_value x = beside(em, v->args[0], v->args[1]), y = tvm_expr(em, v->args[1]);
    int lanes = widen(em, &x, &y);
    bool real = dtype_is_float(v->args[0]->dtype);
    LLVMValueRef out;
    if (v->kind >= EXPR_LT && v->kind <= EXPR_NE)
        out = llvm_operator_compare(em->builder, v->kind, real, x.v, y.v);
    else if (v->kind == EXPR_AND)
        out = LLVMBuildAnd(em->builder, x.v, y.v, "");
    else if (v->kind == EXPR_OR)
        out = LLVMBuildOr(em->builder, x.v, y.v, "");
    else
        out = real ? float_op(em, v->kind, x.v, y.v) : integer_op(em, v->kind, x.v, y.v);
    return (struct tvm_value){out, lanes};
}

/* a*b + c, unless the product is the same in all lanes and the sum is not. */
static bool multiply_add(struct tvm_emitter *em, const struct value *v, struct tvm_value *out)
{
    if (v->kind != EXPR_ADD || !dtype_is_float(v->dtype))
        return false;
    int product = v->args[1]->kind == EXPR_MUL ? 1 : v->args[0]->kind == EXPR_MUL ? 0 : -1;
    if (product < 0)
        return false;
    const struct value *const *factors = v->args[product]->args;
    struct tvm_value a = beside(em, factors[0], factors[1]), b = beside(em, factors[1], factors[0]);
    struct tvm_value c = tvm_expr(em, v->args[1 - product]);
    int lanes = widen(em, &a, &b);
    if (lanes < c.lanes) {
        struct tvm_value p = {float_op(em, EXPR_MUL, a.v, b.v), lanes};
        lanes = widen(em, &p, &c);
        *out = (struct tvm_value){float_op(em, EXPR_ADD, c.v, p.v), lanes};
        return true;
    }
    LLVMValueRef args[] = {a.v, b.v, widened(em, c, lanes)};
    *out = (struct tvm_value){contracted(tvm_intrinsic(em, "llvm.fmuladd", LLVMTypeOf(a.v), args, 3)), lanes};
    return true;
}

/* ---- conditions ---- */

/* The value of one branch, made in a block of its own. */
static struct tvm_value branch(struct tvm_emitter *em, const struct value *v, LLVMBasicBlockRef *block)
{
    LLVMPositionBuilderAtEnd(em->builder, *block);
    struct tvm_value x = tvm_expr(em, v);
    *block = LLVMGetInsertBlock(em->builder);
    return x;
}

static struct tvm_value lazy(struct tvm_emitter *em, const struct value *v, LLVMValueRef condition)
{
    LLVMBasicBlockRef blocks[] = {tvm_block(em, "if_then"), tvm_block(em, "if_else")}, end = tvm_block(em, "if_end");
    LLVMValueRef values[2];
    struct tvm_value x[2];
    LLVMBuildCondBr(em->builder, condition, blocks[0], blocks[1]);
    for (int i = 0; i < 2; i++)
        x[i] = branch(em, v->args[i + 1], &blocks[i]);
    int lanes = x[0].lanes > x[1].lanes ? x[0].lanes : x[1].lanes;
    for (int i = 0; i < 2; i++) {
        LLVMPositionBuilderAtEnd(em->builder, blocks[i]);
        values[i] = widened(em, x[i], lanes);
        LLVMBuildBr(em->builder, end);
    }
    LLVMPositionBuilderAtEnd(em->builder, end);
    LLVMValueRef phi = LLVMBuildPhi(em->builder, LLVMTypeOf(values[0]), "");
    LLVMAddIncoming(phi, values, blocks, 2);
    return (struct tvm_value){phi, lanes};
}

static struct tvm_value chosen(struct tvm_emitter *em, const struct value *v)
{
    struct tvm_value condition = tvm_expr(em, v->args[0]);
    if (LLVMIsAConstantInt(condition.v))
        return tvm_expr(em, v->args[LLVMConstIntGetZExtValue(condition.v) ? 1 : 2]);
    bool guards =
        v->kind == EXPR_IF || has_load(v->args[1], NULL) || has_load(v->args[2], NULL); /* TVM: RewriteUnsafeSelect */
    if (guards && condition.lanes == 1)
        return lazy(em, v, condition.v);
    struct tvm_value x = tvm_expr(em, v->args[1]), y = tvm_expr(em, v->args[2]);
    int lanes = widen(em, &x, &y);
    if (condition.lanes > lanes) {
        lanes = condition.lanes;
        x.v = tvm_splat(em, x.v, lanes);
        y.v = tvm_splat(em, y.v, lanes);
    }
    return (struct tvm_value){LLVMBuildSelect(em->builder, condition.v, x.v, y.v, ""), lanes};
}

static LLVMValueRef bound_holds(struct tvm_emitter *em, struct affine f, LLVMIntPredicate less, int64_t bound)
{
    LLVMValueRef v = tvm_index_value(em, f);
    return LLVMBuildICmp(em->builder, less, v, LLVMConstInt(LLVMTypeOf(v), (unsigned long long)bound, true), "");
}

LLVMValueRef tvm_guards(struct tvm_emitter *em, const struct guard *guards, int n)
{
    LLVMValueRef all = NULL;
    for (int i = 0; i < n; i++) {
        struct affine f = tvm_index_known(em, guards[i].form);
        int64_t lo, hi;
        affine_range(em->nest->atoms, f, &lo, &hi);
        LLVMValueRef parts[] = {guards[i].lo > lo ? bound_holds(em, f, LLVMIntSGE, guards[i].lo) : NULL,
                                guards[i].hi <= hi ? bound_holds(em, f, LLVMIntSLT, guards[i].hi) : NULL};
        for (int k = 0; k < 2; k++)
            if (parts[k])
                all = all ? LLVMBuildAnd(em->builder, all, parts[k], "") : parts[k];
    }
    return all;
}

/* ---- functions ---- */

static struct tvm_value external(struct tvm_emitter *em, const char *name, struct tvm_value x)
{
    LLVMTypeRef t = LLVMTypeOf(x.v), one = x.lanes == 1 ? t : LLVMGetElementType(t);
    LLVMTypeRef type = LLVMFunctionType(one, &one, 1, false);
    LLVMValueRef f = LLVMGetNamedFunction(em->module, name), out = LLVMGetUndef(t);
    if (!f)
        f = LLVMAddFunction(em->module, name, type);
    if (x.lanes == 1)
        return scalar(LLVMBuildCall2(em->builder, type, f, &x.v, 1, ""));
    for (int i = 0; i < x.lanes; i++) {
        LLVMValueRef arg = LLVMBuildExtractElement(em->builder, x.v, tvm_i32(em, i), "");
        LLVMValueRef y = LLVMBuildCall2(em->builder, type, f, &arg, 1, "");
        out = LLVMBuildInsertElement(em->builder, out, y, tvm_i32(em, i), "");
    }
    return (struct tvm_value){out, x.lanes};
}

static LLVMValueRef number(struct tvm_emitter *em, struct tvm_value like, double v)
{
    LLVMTypeRef t = LLVMTypeOf(like.v);
    return tvm_splat(em, LLVMConstReal(like.lanes == 1 ? t : LLVMGetElementType(t), v), like.lanes);
}

/* x >= 0: (1 - exp(-2x)) / (1 + exp(-2x)), else (exp(2x) - 1) / (exp(2x) + 1) */
static struct tvm_value hyperbolic_tangent(struct tvm_emitter *em, struct tvm_value x)
{
    LLVMTypeRef t = LLVMTypeOf(x.v);
    LLVMValueRef one = number(em, x, 1), parts[2];
    for (int i = 0; i < 2; i++) {
        LLVMValueRef twice = float_op(em, EXPR_MUL, x.v, number(em, x, i ? 2 : -2));
        LLVMValueRef e = tvm_intrinsic(em, "llvm.exp", t, &twice, 1);
        LLVMValueRef top = i ? float_op(em, EXPR_SUB, e, one) : float_op(em, EXPR_SUB, one, e);
        LLVMValueRef bottom = i ? float_op(em, EXPR_ADD, e, one) : float_op(em, EXPR_ADD, one, e);
        parts[i] = float_op(em, EXPR_DIV, top, bottom);
    }
    LLVMValueRef positive = LLVMBuildFCmp(em->builder, LLVMRealOGE, x.v, number(em, x, 0), "");
    return (struct tvm_value){LLVMBuildSelect(em->builder, positive, parts[0], parts[1], ""), x.lanes};
}

/* 1 / (1 + exp(0 - x)), and 1 / sqrt(x) (TVM: src/target/intrin_rule.cc) */
static struct tvm_value reciprocal(struct tvm_emitter *em, const struct value *v, struct tvm_value x)
{
    LLVMValueRef one = number(em, x, 1), bottom = x.v;
    if (v->kind == EXPR_SIGMOID)
        bottom = float_op(em, EXPR_SUB, number(em, x, 0), x.v);
    bottom = tvm_intrinsic(em, v->kind == EXPR_SIGMOID ? "llvm.exp" : "llvm.sqrt", LLVMTypeOf(x.v), &bottom, 1);
    if (v->kind == EXPR_SIGMOID)
        bottom = float_op(em, EXPR_ADD, one, bottom);
    return (struct tvm_value){float_op(em, EXPR_DIV, one, bottom), x.lanes};
}

static struct tvm_value function(struct tvm_emitter *em, const struct value *v)
{
    struct tvm_value x = tvm_expr(em, v->args[0]);
    const char *name = v->kind == EXPR_EXP ? "llvm.exp" : v->kind == EXPR_LOG ? "llvm.log" : "llvm.sqrt";
    if (v->kind == EXPR_ERF)
        return external(em, v->dtype == DTYPE_F32 ? "erff" : "erf", x);
    if (v->kind == EXPR_TANH)
        return hyperbolic_tangent(em, x);
    if (v->kind == EXPR_SIGMOID || v->kind == EXPR_RSQRT)
        return reciprocal(em, v, x);
    return (struct tvm_value){tvm_intrinsic(em, name, LLVMTypeOf(x.v), &x.v, 1), x.lanes};
}

static struct tvm_value cast(struct tvm_emitter *em, const struct value *v)
{
    struct tvm_value x = tvm_expr(em, v->args[0]);
    enum dtype from = v->args[0]->dtype, to = v->dtype;
    LLVMTypeRef t = tvm_vector(value_type(em, to), x.lanes);
    x.v = llvm_operator_cast(em->builder, from, to, x.v, t);
    return x;
}

static struct tvm_value index_of(struct tvm_emitter *em, const struct value *v)
{
    struct tvm_index ix = tvm_index_make(em, *v->index);
    struct tvm_value x = {tvm_index_vector(em, &ix), ix.pattern == TVM_SAME ? 1 : em->lanes};
    LLVMTypeRef t = tvm_vector(value_type(em, v->dtype), x.lanes);
    if (LLVMTypeOf(x.v) != t)
        x.v = LLVMBuildIntCast2(em->builder, x.v, t, true, "");
    return x;
}

struct tvm_value tvm_expr(struct tvm_emitter *em, const struct value *v)
{
    struct tvm_value out;
    switch (v->kind) {
    case EXPR_INT:
        return scalar(LLVMConstInt(value_type(em, v->dtype), (unsigned long long)v->i, true));
    case EXPR_FLOAT:
        return scalar(LLVMConstReal(value_type(em, v->dtype), v->f));
    case EXPR_LOAD:
        return load(em, v);
    case EXPR_INDEX:
        return index_of(em, v);
    case EXPR_SELECT:
    case EXPR_IF:
        return chosen(em, v);
    case EXPR_NOT:
        out = tvm_expr(em, v->args[0]);
        out.v = LLVMBuildNot(em->builder, out.v, "");
        return out;
    case EXPR_EXP:
    case EXPR_LOG:
    case EXPR_SQRT:
    case EXPR_TANH:
    case EXPR_ERF:
    case EXPR_SIGMOID:
    case EXPR_RSQRT:
        return function(em, v);
    case EXPR_CAST:
        return cast(em, v);
    case EXPR_AXIS:
    case EXPR_COUNT:
        tvm_fail(em, "'%s' cannot stand in a nest", expr_word(v->kind));
        return scalar(LLVMGetUndef(value_type(em, v->dtype)));
    default:
        return multiply_add(em, v, &out) ? out : binary(em, v);
    }
}
