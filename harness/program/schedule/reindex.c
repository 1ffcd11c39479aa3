/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/program/schedule/reindex.h"

#include "harness/base/int_math.h"
#include "harness/program/ir/dag_cache.h"
#include "harness/program/ir/dag_make.h"
#include "harness/program/ir/fold.h"

/* ---- which axis is what ---- */

/* The load that a factor is, or is a cast of. */
static const struct expr *load_of(const struct expr *e)
{
    const struct expr *load = e->kind == EXPR_CAST ? e->args[0] : e;
    return load->kind == EXPR_LOAD ? load : NULL;
}

/* ROLE_COUNT: none. */
static enum axis_role role_of(const struct op *op, const struct reindex *x, int axis)
{
    bool first = expr_uses_axis(x->factor[0], axis), second = expr_uses_axis(x->factor[1], axis);
    if (axis >= op->nspatial)
        return first && second ? ROLE_SUM : ROLE_COUNT;
    return first && second ? ROLE_BATCH : first ? ROLE_ROW : second ? ROLE_COLUMN : ROLE_COUNT;
}

bool reindex_find(const struct op *op, struct reindex *out, struct err *err)
{
    *out = (struct reindex){0};
    if (op->kind != OP_COMPUTE || op->reducer != REDUCE_SUM || op->body->kind != EXPR_MUL)
        return err_set(err, "'%s' is no sum of products", op->name);
    for (int i = 0; i < 2; i++)
        if (!(out->factor[i] = load_of(op->body->args[i])))
            return err_set(err, "a factor of '%s' is computed on the way", op->name);
        else if (!dtype_is_float(out->factor[i]->dtype))
            return err_set(err, "a factor of '%s' is of whole numbers", op->name);
    for (int axis = 0; axis < op->nspatial + op->nreduce; axis++) {
        enum axis_role role = role_of(op, out, axis);
        if (role == ROLE_COUNT)
            return err_set(err, "axis '%s' of '%s' is of no factor, or a sum within one", op->axes[axis].name,
                           op->name);
        if (out->n[role] == REINDEX_AXES)
            return err_set(err, "'%s' has more than %d axes of one kind", op->name, REINDEX_AXES);
        out->axes[role][out->n[role]++] = axis;
    }
    for (int role = ROLE_ROW; role < ROLE_COUNT; role++)
        if (!out->n[role])
            return err_set(err, "'%s' has no axis that %s", op->name,
                           role == ROLE_SUM ? "is summed over"
                                            : "only one of the factors has, so it is no product of matrices");
    return true;
}

/* The product of the extents in this role. */
static int64_t reindex_length(const struct op *op, const struct reindex *x, enum axis_role role)
{
    int64_t n = 1; /* dag_make has bounded the product */
    for (int i = 0; i < x->n[role]; i++)
        n *= op->axes[x->axes[role][i]].extent;
    return n;
}

/* ---- the new stages ---- */

struct request {
    int position;
    int64_t tile;
    struct reindex x;
};

struct making {
    struct arena *a;
    const struct op *op;
    const struct request *r;
    int nbatch, nids;
};

static int64_t padded(const struct making *m, enum axis_role role)
{
    return round_up(reindex_length(m->op, &m->r->x, role), m->r->tile);
}

/* Axes b0.., then one for each of the roles. */
static struct axis *matrix_axes(const struct making *m, const char *const *names, const enum axis_role *roles, int n)
{
    struct axis *axes = ARENA_ARRAY(m->a, struct axis, m->nbatch + n);
    for (int i = 0; i < m->nbatch; i++)
        axes[i] = (struct axis){arena_printf(m->a, "b%d", i), m->op->axes[m->r->x.axes[ROLE_BATCH][i]].extent};
    for (int i = 0; i < n; i++)
        axes[m->nbatch + i] = (struct axis){names[i], padded(m, roles[i])};
    return axes;
}

/* Old axes of the role as expressions of the fused one, which is axis `at`. */
static void spread(const struct making *m, enum axis_role role, int at, const struct expr **old)
{
    const struct expr *rest = expr_axis(m->a, at);
    for (int i = m->r->x.n[role] - 1; i >= 0; i--) {
        int axis = m->r->x.axes[role][i];
        int64_t extent = m->op->axes[axis].extent;
        old[axis] = i ? expr_fold_int(m->a, EXPR_FLOORMOD, rest, extent) : rest;
        rest = expr_fold_int(m->a, EXPR_FLOORDIV, rest, extent);
    }
}

/* Whether the fused axis `at` is within what it was made of; joins the tests so far. NULL: nothing was padded. */
static const struct expr *within(const struct making *m, enum axis_role role, int at, const struct expr *tests)
{
    int64_t n = reindex_length(m->op, &m->r->x, role);
    if (n == padded(m, role))
        return tests;
    const struct expr *test = expr_make2(m->a, EXPR_LT, expr_axis(m->a, at), expr_int(m->a, n));
    return tests ? expr_make2(m->a, EXPR_AND, tests, test) : test;
}

/* Factor `which` as a matrix: (batch.., m, k) or (batch.., k, n). */
static const struct op *factor_op(const struct making *m, const struct dag *d, int which)
{
    static const enum axis_role ROLES[2][2] = {{ROLE_ROW, ROLE_SUM}, {ROLE_SUM, ROLE_COLUMN}};
    static const char *const NAMES[2][2] = {{"m", "k"}, {"k", "n"}};
    const struct expr *load = m->r->x.factor[which];
    int naxes = m->op->nspatial + m->op->nreduce;
    const struct expr **old = ARENA_ARRAY(m->a, const struct expr *, naxes), *tests = NULL;
    for (int i = 0; i < m->nbatch; i++)
        old[m->r->x.axes[ROLE_BATCH][i]] = expr_axis(m->a, i);
    for (int i = 0; i < 2; i++) {
        spread(m, ROLES[which][i], m->nbatch + i, old);
        tests = within(m, ROLES[which][i], m->nbatch + i, tests);
    }
    const struct expr *body = expr_replace(m->a, load, old, naxes, -1, -1);
    if (tests)
        body = expr_make3(m->a, EXPR_IF, tests, body, expr_float(m->a, load->dtype, 0));
    const char *name = arena_printf(m->a, "%s_reindex", d->ops[d->position[load->i]]->name);
    return op_derived(m->a, m->nids + which, name, matrix_axes(m, NAMES[which], ROLES[which], 2), m->nbatch + 2, body);
}

/* Factor `which` as it is read in the product, whose axes are batch.., m, n, k. */
static const struct expr *factor_value(const struct making *m, int which)
{
    const struct expr *old = m->op->body->args[which], *load = m->r->x.factor[which];
    const struct expr **at = ARENA_ARRAY(m->a, const struct expr *, m->nbatch + 2);
    for (int i = 0; i < m->nbatch; i++)
        at[i] = expr_axis(m->a, i);
    at[m->nbatch + which] = expr_axis(m->a, m->nbatch + which);
    at[m->nbatch + 1 - which] = expr_axis(m->a, m->nbatch + 2);
    const struct expr *new = expr_load(m->a, m->nids + which, load->dtype, m->nbatch + 2, at);
    return old->kind == EXPR_CAST ? expr_cast(m->a, old->dtype, new) : new;
}

static const struct op *product_op(const struct making *m)
{
    static const enum axis_role ROLES[] = {ROLE_ROW, ROLE_COLUMN, ROLE_SUM};
    static const char *const NAMES[] = {"m", "n", "k"};
    struct op *op = ARENA_DUP(m->a, m->op, struct op, 1);
    op->id = m->nids + 2;
    op->name = arena_printf(m->a, "%s_reindex", m->op->name);
    op->tag = "";
    op->nspatial = m->nbatch + 2;
    op->nreduce = 1;
    op->axes = matrix_axes(m, NAMES, ROLES, 3);
    op->body = expr_make2(m->a, EXPR_MUL, factor_value(m, 0), factor_value(m, 1));
    op->nrewritten = op->nconst_axes = 0;
    op->flop_override = -1;
    return op;
}

/* The axes of a role fused: (a*extent(b) + b)*extent(c) + c. */
static const struct expr *fused(const struct making *m, enum axis_role role)
{
    const struct reindex *x = &m->r->x;
    const struct expr *sum = expr_axis(m->a, x->axes[role][0]);
    for (int i = 1; i < x->n[role]; i++) {
        int axis = x->axes[role][i];
        sum = expr_fold(m->a, EXPR_ADD, expr_fold_int(m->a, EXPR_MUL, sum, m->op->axes[axis].extent),
                        expr_axis(m->a, axis));
    }
    return sum;
}

static const struct op *copy_op(const struct making *m)
{
    struct op *op = ARENA_DUP(m->a, m->op, struct op, 1);
    const struct expr **at = ARENA_ARRAY(m->a, const struct expr *, m->nbatch + 2);
    for (int i = 0; i < m->nbatch; i++)
        at[i] = expr_axis(m->a, m->r->x.axes[ROLE_BATCH][i]);
    at[m->nbatch] = fused(m, ROLE_ROW);
    at[m->nbatch + 1] = fused(m, ROLE_COLUMN);
    op->nreduce = 0;
    op->reducer = REDUCE_NONE;
    op->body = expr_load(m->a, m->nids + 2, op->dtype, m->nbatch + 2, at);
    op->nrewritten = op->nconst_axes = 0;
    op->flop_override = -1;
    return op;
}

static bool make_reindex(struct arena *a, const struct dag *d, const void *request, const struct dag **out,
                         struct err *err)
{
    const struct request *r = request;
    struct making m = {.a = a, .op = d->ops[r->position], .r = r, .nbatch = r->x.n[ROLE_BATCH], .nids = d->nids};
    const struct op **ops = ARENA_ARRAY(a, const struct op *, d->nops + 3);
    for (int i = 0; i < d->nops; i++)
        ops[i < r->position ? i : i + 3] = d->ops[i];
    ops[r->position] = factor_op(&m, d, 0);
    ops[r->position + 1] = factor_op(&m, d, 1);
    ops[r->position + 2] = product_op(&m);
    ops[r->position + 3] = copy_op(&m);
    return dag_make_derived(a, d->cache, ops, d->nops + 3, d->nids + 3, out, err);
}

bool rewrite_reindex(const struct dag *d, int position, int64_t tile, const struct dag **out, struct err *err)
{
    struct request r = {.position = position, .tile = tile};
    if (position < 0 || position >= d->nops)
        return err_set(err, "RI of stage %d: there are %d", position, d->nops);
    if (tile < 1 || tile > 1 << 20)
        return err_set(err, "RI of '%s' with tiles of %lld", d->ops[position]->name, (long long)tile);
    if (!reindex_find(d->ops[position], &r.x, err))
        return err_context(err, "RI");
    struct dag_cache_key key = {.words = {3, position, tile}, .n = 3, .scope = ""};
    return dag_cache_get(d, &key, make_reindex, &r, out, err);
}
