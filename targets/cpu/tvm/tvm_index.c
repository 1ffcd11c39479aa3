/* SPDX-License-Identifier: Apache-2.0 */
/* tvm_index: quotients and remainders are lowered as TVM's LowerIntrin does: by a power of two as shift and mask,
 * otherwise as the machine's division of something that is not negative. */
#include "targets/cpu/tvm/tvm_index.h"

#include "targets/cpu/tvm/tvm_common.h"

#include <stdlib.h>

struct affine tvm_index_known(struct tvm_emitter *em, struct affine f)
{
    const struct tvm_binding *b = em->frame->bindings;
    struct affine *with = ARENA_ARRAY(em->arena, struct affine, em->natoms + 1);
    bool *has = ARENA_ARRAY(em->arena, bool, em->natoms + 1), any = false;
    for (int i = 0; i < em->natoms; i++)
        if (b[i].kind == TVM_CONSTANT) {
            with[i] = affine_const(b[i].constant);
            has[i] = any = true;
        }
    return any ? affine_replace(em->nest->atoms, f, with, has, em->natoms) : f;
}

struct tvm_index tvm_index_make(struct tvm_emitter *em, struct affine f)
{
    struct atoms *p = em->nest->atoms;
    struct tvm_index ix = {.form = tvm_index_known(em, f)};
    int lane = em->vector;
    if (em->lanes == 1 || !affine_uses(p, ix.form, lane))
        return ix;
    ix.pattern = TVM_SCATTER;
    int64_t coef = 0;
    for (int i = 0; i < ix.form.n; i++)
        if (ix.form.terms[i].atom == lane)
            coef = ix.form.terms[i].coef;
    struct affine rest = affine_sub(p, ix.form, affine_scale(p, affine_atom(p, lane), coef));
    if (coef && !affine_uses(p, rest, lane))
        ix = (struct tvm_index){.form = rest, .pattern = TVM_RAMP, .stride = coef};
    return ix;
}

struct tvm_index tvm_index_offset(struct tvm_emitter *em, const struct buffer *b, const struct affine *index)
{
    return tvm_index_make(em, buffer_offset(em->nest->atoms, b, index));
}

struct affine tvm_index_lane(struct tvm_emitter *em, const struct tvm_index *ix, int lane)
{
    if (ix->pattern == TVM_SAME)
        return ix->form;
    if (ix->pattern == TVM_RAMP)
        return affine_shift(ix->form, lane * ix->stride);
    struct affine *with = ARENA_ARRAY(em->arena, struct affine, em->natoms + 1);
    bool *has = ARENA_ARRAY(em->arena, bool, em->natoms + 1);
    with[em->vector] = affine_const(lane);
    has[em->vector] = true;
    return affine_replace(em->nest->atoms, ix->form, with, has, em->natoms);
}

/* ---- values ---- */

static bool is_power(int64_t v)
{
    return v > 0 && (v & (v - 1)) == 0;
}

static int sum_of(struct tvm_emitter *em, LLVMTypeRef t, struct affine f);

/* A dividend that may be negative is moved up by a multiple of the divisor (TVM: LowerFloorDiv). */
static int divided(struct tvm_emitter *em, LLVMTypeRef t, const struct atom *a)
{
    int64_t lo, hi, up = 0;
    if (is_power(a->by)) {
        int of = sum_of(em, t, a->of);
        return a->kind == ATOM_DIV ? tvm_node_make(em, t, TVM_SHIFT, of, 0, __builtin_ctzll((unsigned long long)a->by))
                                   : tvm_node_make(em, t, TVM_MASK, of, 0, a->by - 1);
    }
    affine_range(em->nest->atoms, a->of, &lo, &hi);
    if (lo < 0)
        up = (-lo + a->by - 1) / a->by;
    int of = sum_of(em, t, affine_shift(a->of, up * a->by));
    if (a->kind == ATOM_MOD)
        return tvm_node_make(em, t, TVM_REMAINDER, of, 0, a->by);
    int q = tvm_node_make(em, t, TVM_DIVIDE, of, 0, a->by);
    return up ? tvm_node_make(em, t, TVM_SUB, q, tvm_node_make(em, t, TVM_NUMBER, 0, 0, up), 0) : q;
}

static int product(struct tvm_emitter *em, LLVMTypeRef t, int atom, int64_t times)
{
    const struct atom a = em->nest->atoms->at[atom]; /* the pool may grow */
    int v = a.kind == ATOM_LOOP ? tvm_node_make(em, t, TVM_ATOM, atom, 0, 0) : divided(em, t, &a);
    return times == 1 ? v : tvm_node_make(em, t, TVM_MUL, v, 0, times);
}

static int by_coefficient(const void *x, const void *y)
{
    const struct term *a = x, *b = y;
    return a->coef != b->coef ? (a->coef < b->coef) - (a->coef > b->coef) : (a->atom > b->atom) - (a->atom < b->atom);
}

/* The order of TVM's canonical sums (arith/canonical_simplify.cc, NormalizeWithScale), on which LLVM's analysis of
 * addresses depends: positive products by falling coefficient, a positive constant, then what is subtracted. */
static int sum_of(struct tvm_emitter *em, LLVMTypeRef t, struct affine f)
{
    struct term *terms = ARENA_DUP(em->arena, f.terms, struct term, f.n);
    int sum = -1, i = 0;
    qsort(terms, (size_t)f.n, sizeof *terms, by_coefficient);
    for (; i < f.n && terms[i].coef > 0; i++) {
        int v = product(em, t, terms[i].atom, terms[i].coef);
        sum = sum < 0 ? v : tvm_node_make(em, t, TVM_ADD, sum, v, 0);
    }
    if (f.base > 0 || sum < 0) {
        int k = tvm_node_make(em, t, TVM_NUMBER, 0, 0, f.base);
        sum = sum < 0 ? k : tvm_node_make(em, t, TVM_ADD, sum, k, 0);
    }
    bool owed = f.base < 0 && !(f.n == 0 || terms[0].coef < 0);
    for (; i < f.n; i++)
        sum = tvm_node_make(em, t, TVM_SUB, sum, product(em, t, terms[i].atom, -terms[i].coef), 0);
    return owed ? tvm_node_make(em, t, TVM_SUB, sum, tvm_node_make(em, t, TVM_NUMBER, 0, 0, -f.base), 0) : sum;
}

static int node_of(struct tvm_emitter *em, struct affine f)
{
    int64_t lo, hi;
    affine_range(em->nest->atoms, f, &lo, &hi);
    return sum_of(em, lo >= INT32_MIN && hi <= INT32_MAX ? em->i32 : em->i64, f);
}

LLVMValueRef tvm_index_value(struct tvm_emitter *em, struct affine f)
{
    return tvm_node_value(em, node_of(em, f));
}

LLVMValueRef tvm_index_vector(struct tvm_emitter *em, const struct tvm_index *ix)
{
    if (ix->pattern == TVM_SAME)
        return tvm_index_value(em, ix->form);
    LLVMTypeRef t = tvm_vector(em->i32, em->lanes);
    LLVMValueRef v = LLVMGetUndef(t);
    for (int i = 0; i < em->lanes; i++) {
        LLVMValueRef one = tvm_node_value(em, sum_of(em, em->i32, tvm_index_lane(em, ix, i)));
        v = LLVMBuildInsertElement(em->builder, v, one, tvm_i32(em, i), "");
    }
    return v;
}

void tvm_index_use(struct tvm_emitter *em, const struct tvm_index *ix)
{
    bool whole = ix->pattern == TVM_SAME || (ix->pattern == TVM_RAMP && ix->stride == 1);
    for (int i = 0; i < (whole ? 1 : em->lanes); i++)
        tvm_region_use(em, node_of(em, whole ? ix->form : tvm_index_lane(em, ix, i)));
}
