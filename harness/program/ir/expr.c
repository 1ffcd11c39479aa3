/* SPDX-License-Identifier: Apache-2.0 */
/* expr: making and rewriting expression trees. Trees are immutable, so subtrees are shared freely
 * and expr_replace returns the very same node where nothing changed. */
#include "harness/program/ir/expr.h"

#include "harness/base/err.h"

static const struct {
    const char *word;
    int nargs;
} KINDS[EXPR_COUNT] = {
#define X(id, text, n) [EXPR_##id] = {text, n},
    EXPR_KINDS(X)
#undef X
};

const char *expr_word(enum expr_kind kind)
{
    return KINDS[kind].word;
}

static struct expr *node(struct arena *a, enum expr_kind k, enum dtype t)
{
    struct expr *e = ARENA_NEW(a, struct expr);
    e->kind = k;
    e->dtype = t;
    return e;
}

const struct expr *expr_int(struct arena *a, int64_t v)
{
    struct expr *e = node(a, EXPR_INT, DTYPE_I32);
    e->i = v;
    return e;
}

const struct expr *expr_float(struct arena *a, enum dtype t, double v)
{
    struct expr *e = node(a, EXPR_FLOAT, t);
    e->f = v;
    return e;
}

const struct expr *expr_axis(struct arena *a, int axis)
{
    struct expr *e = node(a, EXPR_AXIS, DTYPE_I32);
    e->i = axis;
    return e;
}

const struct expr *expr_load(struct arena *a, int op_id, enum dtype t, int n, const struct expr *const *index)
{
    struct expr *e = node(a, EXPR_LOAD, t);
    e->i = op_id;
    e->nargs = n;
    e->args = ARENA_DUP(a, index, const struct expr *, n);
    return e;
}

static enum dtype result_type(enum expr_kind k, int n, const struct expr *const *args)
{
    if (k >= EXPR_LT && k <= EXPR_NOT)
        return DTYPE_BOOL;
    return args[n == 3 ? 1 : 0]->dtype;
}

static const struct expr *make(struct arena *a, enum expr_kind k, int n, const struct expr *const *args)
{
    if (KINDS[k].nargs != n)
        bug("expression kind %d takes %d arguments, got %d", (int)k, KINDS[k].nargs, n);
    struct expr *e = node(a, k, result_type(k, n, args));
    e->nargs = n;
    e->args = ARENA_DUP(a, args, const struct expr *, n);
    return e;
}

const struct expr *expr_make1(struct arena *a, enum expr_kind k, const struct expr *x)
{
    return make(a, k, 1, (const struct expr *[]){x});
}

const struct expr *expr_make2(struct arena *a, enum expr_kind k, const struct expr *x, const struct expr *y)
{
    return make(a, k, 2, (const struct expr *[]){x, y});
}

const struct expr *expr_make3(struct arena *a, enum expr_kind k, const struct expr *x, const struct expr *y,
                              const struct expr *z)
{
    return make(a, k, 3, (const struct expr *[]){x, y, z});
}

const struct expr *expr_cast(struct arena *a, enum dtype t, const struct expr *x)
{
    struct expr *e = node(a, EXPR_CAST, t);
    e->nargs = 1;
    e->args = ARENA_DUP(a, &x, const struct expr *, 1);
    return e;
}

const struct expr *expr_replace(struct arena *a, const struct expr *e, const struct expr *const *axes, int naxes,
                                int from_id, int to_id)
{
    if (e->kind == EXPR_AXIS)
        return e->i < naxes && axes[e->i] ? axes[e->i] : e;
    if (e->nargs == 0 && e->kind != EXPR_LOAD)
        return e;
    bool moved = e->kind == EXPR_LOAD && from_id >= 0 && e->i == from_id;
    bool changed = moved;
    const struct expr **args = ARENA_ARRAY(a, const struct expr *, e->nargs);
    for (int i = 0; i < e->nargs; i++) {
        args[i] = expr_replace(a, e->args[i], axes, naxes, from_id, to_id);
        changed |= args[i] != e->args[i];
    }
    if (!changed)
        return e;
    struct expr *copy = ARENA_DUP(a, e, struct expr, 1);
    copy->args = args;
    if (moved)
        copy->i = to_id;
    return copy;
}

bool expr_uses_axis(const struct expr *e, int axis)
{
    if (e->kind == EXPR_AXIS)
        return e->i == axis;
    for (int i = 0; i < e->nargs; i++)
        if (expr_uses_axis(e->args[i], axis))
            return true;
    return false;
}
