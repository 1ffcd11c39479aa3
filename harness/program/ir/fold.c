/* SPDX-License-Identifier: Apache-2.0 */
/* fold: TVM's TryConstFold, the part that the operator library reaches. Note what it does not do: nested sums are not
 * gathered ("(x - 1) + 2" stays), and x - x is not 0. */
#include "harness/program/ir/fold.h"

#include "harness/base/int_math.h"

static const struct expr *expr_bool(struct arena *a, bool v)
{
    struct expr *e = ARENA_NEW(a, struct expr);
    e->kind = EXPR_INT;
    e->dtype = DTYPE_BOOL;
    e->i = v;
    return e;
}

static bool is_number(const struct expr *e, double v)
{
    return (e->kind == EXPR_INT && e->dtype != DTYPE_BOOL && (double)e->i == v) || (e->kind == EXPR_FLOAT && e->f == v);
}

static const struct expr *fold_ints(struct arena *a, enum expr_kind k, int64_t x, int64_t y)
{
    const bool holds[] = {x<y, x <= y, x> y, x >= y, x == y, x != y}; /* EXPR_LT to EXPR_NE */
    if (k >= EXPR_LT && k <= EXPR_NE)
        return expr_bool(a, holds[k - EXPR_LT]);
    if (k == EXPR_FLOORDIV || k == EXPR_FLOORMOD)
        return y <= 0 ? NULL : expr_int(a, k == EXPR_FLOORDIV ? floor_div(x, y) : floor_mod(x, y));
    if (k == EXPR_MIN || k == EXPR_MAX)
        return expr_int(a, (x < y) == (k == EXPR_MIN) ? x : y);
    return k == EXPR_ADD   ? expr_int(a, x + y)
           : k == EXPR_SUB ? expr_int(a, x - y)
           : k == EXPR_MUL ? expr_int(a, x * y)
                           : NULL;
}

static const struct expr *fold_neutral(struct arena *a, enum expr_kind k, const struct expr *x, const struct expr *y)
{
    switch (k) {
    case EXPR_ADD:
        return is_number(x, 0) ? y : is_number(y, 0) ? x : NULL;
    case EXPR_SUB:
        return is_number(y, 0) ? x : NULL;
    case EXPR_MUL:
        if (is_number(x, 1) || is_number(y, 0))
            return y;
        return is_number(y, 1) || is_number(x, 0) ? x : NULL;
    case EXPR_DIV:
    case EXPR_FLOORDIV:
        return is_number(y, 1) || is_number(x, 0) ? x : NULL;
    case EXPR_FLOORMOD:
        return is_number(y, 1) ? expr_int(a, 0) : is_number(x, 0) ? x : NULL;
    default:
        return NULL;
    }
}

static const struct expr *fold_logic(enum expr_kind k, const struct expr *x, const struct expr *y)
{
    if (x->kind == EXPR_INT)
        return (k == EXPR_AND) == (x->i != 0) ? y : x;
    if (y->kind == EXPR_INT)
        return (k == EXPR_AND) == (y->i != 0) ? x : y;
    return NULL;
}

const struct expr *expr_fold(struct arena *a, enum expr_kind k, const struct expr *x, const struct expr *y)
{
    const struct expr *e;
    if (k == EXPR_AND || k == EXPR_OR)
        e = fold_logic(k, x, y);
    else if (x->kind == EXPR_INT && y->kind == EXPR_INT)
        e = fold_ints(a, k, x->i, y->i);
    else
        e = fold_neutral(a, k, x, y);
    return e ? e : expr_make2(a, k, x, y);
}

const struct expr *expr_fold_int(struct arena *a, enum expr_kind k, const struct expr *x, int64_t y)
{
    return expr_fold(a, k, x, expr_int(a, y));
}
