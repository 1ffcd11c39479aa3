/* SPDX-License-Identifier: Apache-2.0 */
/* tvm_fold: TVM's rules of numbers (arith/rewrite_simplify.cc). Also of reals x + 0 and x * 1 are x, and x * 0 is 0:
 * where Winograd's matrices are constant, most terms vanish. A number that all lanes share counts only where the whole
 * value is the same in all lanes, since TVM does not look into a vector of one number. A comparison of an index with a
 * number folds when the ranges of its loops decide it. */
#include "targets/cpu/tvm/tvm_fold.h"

#include "harness/program/ir/affine.h"
#include "harness/program/ir/dtype.h"
#include "targets/cpu/tvm/tvm_index.h"

#include <string.h>

static const struct value *number(struct tvm_emitter *em, const struct value *like, double v)
{
    struct value *out = ARENA_NEW(em->arena, struct value);
    *out = (struct value){.kind = EXPR_FLOAT, .dtype = like->dtype, .f = v};
    return out;
}

static const struct value *truth(struct tvm_emitter *em, bool v)
{
    struct value *out = ARENA_NEW(em->arena, struct value);
    *out = (struct value){.kind = EXPR_INT, .dtype = DTYPE_BOOL, .i = v};
    return out;
}

static bool is_number(const struct value *v, double f)
{
    return v->kind == EXPR_FLOAT && v->f == f;
}

/* 0 or 1; -1: not known */
static int truth_of(const struct value *v)
{
    return v->kind == EXPR_INT && v->dtype == DTYPE_BOOL ? v->i != 0 : -1;
}

bool tvm_differs_by_lane(struct tvm_emitter *em, const struct value *v)
{
    if (em->lanes == 1)
        return false;
    if (v->kind == EXPR_LOAD && tvm_index_offset(em, v->buffer, v->index).pattern != TVM_SAME)
        return true;
    if (v->kind == EXPR_INDEX && tvm_index_make(em, *v->index).pattern != TVM_SAME)
        return true;
    for (int i = 0; i < v->nargs; i++)
        if (tvm_differs_by_lane(em, v->args[i]))
            return true;
    return false;
}

/* ---- reals ---- */

static const struct value *real_numbers(struct tvm_emitter *em, const struct value *v, double x, double y)
{
    float a = (float)x, b = (float)y; /* TVM folds in the type */
    bool narrow = v->dtype == DTYPE_F32;
    switch (v->kind) {
    case EXPR_ADD:
        return number(em, v, narrow ? a + b : x + y);
    case EXPR_SUB:
        return number(em, v, narrow ? a - b : x - y);
    case EXPR_MUL:
        return number(em, v, narrow ? a * b : x * y);
    default:
        return v;
    }
}

static const struct value *real_unit(const struct value *v, const struct value *x, const struct value *y)
{
    switch (v->kind) {
    case EXPR_ADD:
        return is_number(x, 0) ? y : is_number(y, 0) ? x : v;
    case EXPR_SUB:
        return is_number(y, 0) ? x : v;
    case EXPR_MUL:
        if (is_number(x, 0) || is_number(y, 1))
            return x;
        return is_number(y, 0) || is_number(x, 1) ? y : v;
    default:
        return v;
    }
}

static const struct value *fold_real(struct tvm_emitter *em, const struct value *v)
{
    const struct value *x = v->args[0], *y = v->args[1];
    if (x->kind == EXPR_FLOAT && y->kind == EXPR_FLOAT)
        return real_numbers(em, v, x->f, y->f);
    const struct value *out = real_unit(v, x, y);
    return out != v && tvm_differs_by_lane(em, v) ? v : out;
}

/* ---- conditions ---- */

/* -1: not known */
static int holds(enum expr_kind k, int64_t lo, int64_t hi, int64_t bound)
{
    switch (k) {
    case EXPR_LT:
        return hi < bound ? 1 : lo >= bound ? 0 : -1;
    case EXPR_LE:
        return hi <= bound ? 1 : lo > bound ? 0 : -1;
    case EXPR_GT:
        return lo > bound ? 1 : hi <= bound ? 0 : -1;
    case EXPR_GE:
        return lo >= bound ? 1 : hi < bound ? 0 : -1;
    case EXPR_EQ:
        return lo == bound && hi == bound ? 1 : lo > bound || hi < bound ? 0 : -1;
    default:
        return lo > bound || hi < bound ? 1 : lo == bound && hi == bound ? 0 : -1;
    }
}

static const struct value *fold_comparison(struct tvm_emitter *em, const struct value *v)
{
    struct affine side[2];
    int64_t lo, hi;
    for (int i = 0; i < 2; i++) {
        const struct value *x = v->args[i];
        if (x->kind != EXPR_INDEX && x->kind != EXPR_INT)
            return v;
        side[i] = x->kind == EXPR_INT ? affine_const(x->i) : tvm_index_known(em, *x->index);
    }
    affine_range(em->nest->atoms, affine_sub(em->nest->atoms, side[0], side[1]), &lo, &hi);
    int known = holds(v->kind, lo, hi, 0);
    return known < 0 ? v : truth(em, known);
}

static const struct value *fold_logic(const struct value *v)
{
    int decides = v->kind == EXPR_OR; /* the value of one side that decides */
    for (int i = 0; i < 2; i++) {
        int known = truth_of(v->args[i]);
        if (known >= 0)
            return known == decides ? v->args[i] : v->args[1 - i];
    }
    return v;
}

/* ---- trees ---- */

static const struct value *fold_one(struct tvm_emitter *em, const struct value *v)
{
    if (v->kind >= EXPR_LT && v->kind <= EXPR_NE)
        return fold_comparison(em, v);
    if (v->kind == EXPR_AND || v->kind == EXPR_OR)
        return fold_logic(v);
    if (v->kind == EXPR_SELECT || v->kind == EXPR_IF) {
        int known = truth_of(v->args[0]);
        return known < 0 ? v : v->args[known ? 1 : 2];
    }
    return v->kind >= EXPR_ADD && v->kind <= EXPR_MUL && dtype_is_float(v->dtype) ? fold_real(em, v) : v;
}

const struct value *tvm_fold(struct tvm_emitter *em, const struct value *v)
{
    const struct value *args[3];
    bool changed = false;
    if (v->nargs == 0 || v->nargs > 3)
        return v;
    if (v->kind == EXPR_SELECT || v->kind == EXPR_IF) { /* a chain of them is long: only the branch that is taken */
        int known = truth_of(tvm_fold(em, v->args[0]));
        if (known >= 0)
            return tvm_fold(em, v->args[known ? 1 : 2]);
    }
    for (int i = 0; i < v->nargs; i++) {
        args[i] = tvm_fold(em, v->args[i]);
        changed |= args[i] != v->args[i];
    }
    if (!changed)
        return fold_one(em, v);
    const struct value **kept = ARENA_ARRAY(em->arena, const struct value *, v->nargs);
    memcpy(kept, args, sizeof *args * (size_t)v->nargs);
    struct value *out = ARENA_NEW(em->arena, struct value);
    *out = *v;
    out->args = kept;
    return fold_one(em, out);
}

static bool same_form(struct tvm_emitter *em, struct affine x, struct affine y)
{
    int64_t lo, hi;
    affine_range(em->nest->atoms, affine_sub(em->nest->atoms, x, y), &lo, &hi);
    return lo == 0 && hi == 0;
}

bool tvm_stores_nothing(struct tvm_emitter *em, const struct stmt *s, const struct value *value)
{
    if (value->kind != EXPR_LOAD || value->buffer != s->buffer)
        return false;
    for (int d = 0; d < s->buffer->ndim; d++)
        if (!same_form(em, value->index[d], s->index[d]))
            return false;
    return true;
}
