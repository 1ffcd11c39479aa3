/* SPDX-License-Identifier: Apache-2.0 */
/* body: struct expr -> struct value. Integer arithmetic collapses into affine forms wherever it can; what the ranges of
 * the loops prove (a padding test inside the image, say) is folded, as TVM's Simplify does before features are taken.
 */
#include "harness/program/lower/body.h"

static struct value *value_new(struct arena *a, enum expr_kind kind, enum dtype t, int nargs)
{
    struct value *v = ARENA_NEW(a, struct value);
    v->kind = kind;
    v->dtype = t;
    v->nargs = nargs;
    return v;
}

static const struct value *value_index(struct arena *a, struct affine f)
{
    struct value *v = value_new(a, EXPR_INDEX, DTYPE_I64, 0);
    v->index = ARENA_DUP(a, &f, struct affine, 1);
    return v;
}

const struct value *value_float(struct arena *a, enum dtype t, double f)
{
    struct value *v = value_new(a, EXPR_FLOAT, t, 0);
    v->f = f;
    return v;
}

const struct value *value_make2(struct arena *a, enum expr_kind k, enum dtype t, const struct value *x,
                                const struct value *y)
{
    struct value *v = value_new(a, k, t, 2);
    const struct value **args = ARENA_ARRAY(a, const struct value *, 2);
    args[0] = x;
    args[1] = y;
    v->args = args;
    return v;
}

const struct value *value_load(struct arena *a, const struct buffer *b, const struct affine *index)
{
    struct value *v = value_new(a, EXPR_LOAD, b->dtype, 0);
    v->buffer = b;
    v->index = index;
    return v;
}

static const struct value *value_bool(struct arena *a, bool b)
{
    struct value *v = value_new(a, EXPR_INT, DTYPE_BOOL, 0);
    v->i = b;
    return v;
}

static bool is_bool(const struct value *v, bool b)
{
    return v->kind == EXPR_INT && v->dtype == DTYPE_BOOL && (v->i != 0) == b;
}

/* +, -, *, div, mod of two forms as one form, where the result is affine. */
static bool fold_affine(const struct body_env *env, enum expr_kind k, struct affine a, struct affine b,
                        struct affine *out)
{
    switch (k) {
    case EXPR_ADD:
        *out = affine_add(env->atoms, a, b);
        return true;
    case EXPR_SUB:
        *out = affine_sub(env->atoms, a, b);
        return true;
    case EXPR_MUL:
        if (!affine_is_const(a) && !affine_is_const(b))
            return false;
        *out = affine_is_const(b) ? affine_scale(env->atoms, a, b.base) : affine_scale(env->atoms, b, a.base);
        return true;
    case EXPR_FLOORDIV:
    case EXPR_FLOORMOD:
        if (!affine_is_const(b) || b.base <= 0)
            return false;
        *out = k == EXPR_FLOORDIV ? affine_div(env->atoms, a, b.base) : affine_mod(env->atoms, a, b.base);
        return true;
    case EXPR_MIN:
    case EXPR_MAX: {
        int64_t lo, hi;
        affine_range(env->atoms, affine_sub(env->atoms, a, b), &lo, &hi);
        if (lo < 0 && hi > 0)
            return false;
        *out = (lo >= 0) == (k == EXPR_MAX) ? a : b;
        return true;
    }
    default:
        return false;
    }
}

/* The form of an expression of integers over the axes, without values of its parts. False: it is none. */
static bool index_form(const struct body_env *env, const struct expr *e, const struct affine *axes, struct affine *out)
{
    struct affine a, b;
    if (e->kind == EXPR_INT)
        *out = affine_const(e->i);
    else if (e->kind == EXPR_AXIS)
        *out = axes[e->i];
    else
        return e->nargs == 2 && index_form(env, e->args[0], axes, &a) && index_form(env, e->args[1], axes, &b) &&
               fold_affine(env, e->kind, a, b, out);
    return e->dtype != DTYPE_BOOL;
}

/* 1 true, 0 false, -1 not known. */
static int fold_compare(const struct body_env *env, enum expr_kind k, struct affine a, struct affine b)
{
    int64_t lo, hi;
    affine_range(env->atoms, affine_sub(env->atoms, a, b), &lo, &hi);
    if (k == EXPR_EQ || k == EXPR_NE)
        return lo == 0 && hi == 0 ? k == EXPR_EQ : lo > 0 || hi < 0 ? k == EXPR_NE : -1;
    if (k != EXPR_LT && k != EXPR_LE && k != EXPR_GT && k != EXPR_GE)
        return -1;
    bool less = k == EXPR_LT || k == EXPR_LE; /* a < b is not a >= b */
    int64_t bound = k == EXPR_LE || k == EXPR_GT;
    return hi < bound ? less : lo >= bound ? !less : -1;
}

static const struct value *fold_logic(const struct body_env *env, enum expr_kind k, const struct value *x,
                                      const struct value *y)
{
    bool unit = k == EXPR_AND; /* true is the unit of AND, false of OR */
    if (is_bool(x, unit))
        return y;
    if (is_bool(y, unit))
        return x;
    if (is_bool(x, !unit) || is_bool(y, !unit))
        return value_bool(env->arena, !unit);
    return value_make2(env->arena, k, DTYPE_BOOL, x, y);
}

static const struct value *make_binary(const struct body_env *env, const struct expr *e, const struct value *x,
                                       const struct value *y)
{
    if (e->kind == EXPR_AND || e->kind == EXPR_OR)
        return fold_logic(env, e->kind, x, y);
    if (x->kind == EXPR_INDEX && y->kind == EXPR_INDEX) {
        struct affine f;
        if (fold_affine(env, e->kind, *x->index, *y->index, &f))
            return value_index(env->arena, f);
        int known = e->dtype == DTYPE_BOOL ? fold_compare(env, e->kind, *x->index, *y->index) : -1;
        if (known >= 0)
            return value_bool(env->arena, known);
    }
    enum dtype t = e->dtype == DTYPE_I32 ? DTYPE_I64 : e->dtype;
    return value_make2(env->arena, e->kind, t, x, y);
}

static bool load_value(const struct body_env *env, const struct expr *e, const struct affine *axes,
                       const struct value **out, struct err *err)
{
    int at = env->s->dag->position[e->i];
    const struct stage *st = &env->s->stages[at];
    struct affine *index = ARENA_ARRAY(env->arena, struct affine, e->nargs + 1);
    for (int d = 0; d < e->nargs; d++) {
        const struct value *v;
        if (index_form(env, e->args[d], axes, &index[d]))
            continue;
        if (!body_value(env, e->args[d], axes, &v, err))
            return false;
        if (v->kind != EXPR_INDEX)
            return err_set(err, "index %d of '%s' is not affine", d, st->op->name);
        index[d] = *v->index;
    }
    if (st->op->kind == OP_COMPUTE && st->at == AT_INLINED)
        return body_value(env, st->op->body, index, out, err);
    *out = value_load(env->arena, env->buffer_of[at], index);
    return true;
}

static bool branch_value(const struct body_env *env, const struct expr *e, const struct affine *axes,
                         const struct value **out, struct err *err)
{
    const struct value **args = ARENA_ARRAY(env->arena, const struct value *, 3);
    if (!body_value(env, e->args[0], axes, &args[0], err))
        return false;
    bool yes = is_bool(args[0], true), no = is_bool(args[0], false);
    if ((!no && !body_value(env, e->args[1], axes, &args[1], err)) ||
        (!yes && !body_value(env, e->args[2], axes, &args[2], err)))
        return false;
    if (yes || no) {
        *out = args[yes ? 1 : 2];
        return true;
    }
    struct value *v = value_new(env->arena, e->kind, args[1]->dtype, 3);
    v->args = args;
    *out = v;
    return true;
}

static bool other_value(const struct body_env *env, const struct expr *e, const struct affine *axes,
                        const struct value **out, struct err *err)
{
    const struct value **args = ARENA_ARRAY(env->arena, const struct value *, e->nargs);
    for (int i = 0; i < e->nargs; i++)
        if (!body_value(env, e->args[i], axes, &args[i], err))
            return false;
    if (e->nargs == 2) {
        *out = make_binary(env, e, args[0], args[1]);
        return true;
    }
    if (e->kind == EXPR_CAST && args[0]->kind == EXPR_INDEX && !dtype_is_float(e->dtype)) {
        *out = args[0];
        return true;
    }
    struct value *v = value_new(env->arena, e->kind, e->dtype, e->nargs);
    v->args = args;
    *out = v;
    return true;
}

bool body_value(const struct body_env *env, const struct expr *e, const struct affine *axes, const struct value **out,
                struct err *err)
{
    switch (e->kind) {
    case EXPR_INT:
        *out = e->dtype == DTYPE_BOOL ? value_bool(env->arena, e->i != 0) : value_index(env->arena, affine_const(e->i));
        return true;
    case EXPR_FLOAT:
        *out = value_float(env->arena, e->dtype, e->f);
        return true;
    case EXPR_AXIS:
        *out = value_index(env->arena, axes[e->i]);
        return true;
    case EXPR_LOAD:
        return load_value(env, e, axes, out, err);
    case EXPR_SELECT:
    case EXPR_IF:
        return branch_value(env, e, axes, out, err);
    default:
        return other_value(env, e, axes, out, err);
    }
}
