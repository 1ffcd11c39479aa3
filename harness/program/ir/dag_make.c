/* SPDX-License-Identifier: Apache-2.0 */
/* dag_make: checks a list of ops and makes the immutable graph of it. The analysis is in access_analysis.c, the
 * counting of operations in flop.c. */
#include "harness/program/ir/dag_make.h"

#include "harness/base/text.h"
#include "harness/program/ir/access_analysis.h"
#include "harness/program/ir/dag_cache.h"
#include "harness/program/ir/flop.h"

#include <string.h>

enum { MOST_AXES = 32, MOST_OPS = 128, DEEPEST_BODY = 256 }; /* released schedules make 16 ops of their graphs */
#define MOST_ELEMENTS ((int64_t)1 << 31)

/* The product of the extents from axis first on, or -1 when it exceeds the limit. */
static int64_t product(const struct op *op, int first, int n, int64_t limit)
{
    int64_t p = 1;
    for (int i = first; i < first + n; i++) {
        if (op->axes[i].extent > limit / p)
            return -1;
        p *= op->axes[i].extent;
    }
    return p;
}

static bool check_axes(const struct op *op, struct err *err)
{
    int n = op->nspatial + op->nreduce;
    if (op->nspatial < 0 || op->nreduce < 0 || n > MOST_AXES)
        return err_set(err, "stage '%s' has %d axes, at most %d are possible", op->name, n, MOST_AXES);
    for (int i = 0; i < n; i++) {
        if (op->axes[i].extent < 1)
            return err_set(err, "axis '%s' of stage '%s' has extent %lld", op->axes[i].name, op->name,
                           (long long)op->axes[i].extent);
        for (int j = 0; j < i; j++)
            if (str_eq(op->axes[i].name, op->axes[j].name))
                return err_set(err, "stage '%s' has two axes named '%s'", op->name, op->axes[i].name);
    }
    if (product(op, 0, op->nspatial, MOST_ELEMENTS) < 0)
        return err_set(err, "tensor '%s' has more than 2^31 elements", op->name);
    if (product(op, op->nspatial, op->nreduce, MOST_ELEMENTS) < 0)
        return err_set(err, "stage '%s' reduces over more than 2^31 elements", op->name);
    return true;
}

struct body_check {
    const struct dag *d;
    const struct op *op;
    int place; /* of op: it may read what stands before */
    bool in_index;
    int depth;
    struct err *err;
};

static bool check_expr(struct body_check c, const struct expr *e);

static bool check_load(const struct body_check *c, const struct expr *e)
{
    int from = e->i >= 0 && e->i < c->d->nids ? c->d->position[e->i] : -1;
    if (from < 0 || from >= c->place)
        return err_set(c->err, "stage '%s' reads op %d, which is not in front of it", c->op->name, (int)e->i);
    const struct op *p = c->d->ops[from];
    if (e->nargs != p->nspatial || e->dtype != p->dtype)
        return err_set(c->err, "stage '%s' reads '%s' with %d indices as %s, it has %d and is %s", c->op->name, p->name,
                       e->nargs, dtype_name(e->dtype), p->nspatial, dtype_name(p->dtype));
    if (c->in_index)
        return err_set(c->err, "stage '%s' reads '%s' inside an index", c->op->name, p->name);
    return true;
}

static bool check_expr(struct body_check c, const struct expr *e)
{
    if (++c.depth > DEEPEST_BODY)
        return err_set(c.err, "the body of stage '%s' is nested more than %d deep", c.op->name, DEEPEST_BODY);
    if (e->kind == EXPR_INDEX)
        return err_set(c.err, "the body of stage '%s' holds an index of a nest", c.op->name);
    if (e->kind == EXPR_AXIS && (e->i < 0 || e->i >= c.op->nspatial + c.op->nreduce))
        return err_set(c.err, "stage '%s' uses axis %d and has %d", c.op->name, (int)e->i,
                       c.op->nspatial + c.op->nreduce);
    if (e->kind == EXPR_LOAD) {
        if (!check_load(&c, e))
            return false;
        c.in_index = true;
    }
    for (int i = 0; i < e->nargs; i++) {
        if (e->kind == EXPR_LOAD && dtype_is_float(e->args[i]->dtype))
            return err_set(c.err, "stage '%s' has an index that is no integer", c.op->name);
        if (!check_expr(c, e->args[i]))
            return false;
    }
    return true;
}

static bool check_op(const struct dag *d, int place, struct err *err)
{
    const struct op *op = d->ops[place];
    if (!check_axes(op, err))
        return false;
    if (op->kind == OP_PLACEHOLDER)
        return op->nreduce == 0 && !op->body ? true : err_set(err, "placeholder '%s' has a body", op->name);
    if (!op->body)
        return err_set(err, "stage '%s' has no body", op->name);
    if ((op->reducer == REDUCE_NONE) != (op->nreduce == 0))
        return err_set(err, "stage '%s' has %d reduce axes, which does not fit its reducer", op->name, op->nreduce);
    if (op->body->dtype != op->dtype)
        return err_set(err, "stage '%s' is %s, its body %s", op->name, dtype_name(op->dtype),
                       dtype_name(op->body->dtype));
    return check_expr((struct body_check){d, op, place, false, 0, err}, op->body);
}

static bool place_ids(struct arena *a, struct dag *d, struct err *err)
{
    int *position = ARENA_ARRAY(a, int, d->nids);
    for (int id = 0; id < d->nids; id++)
        position[id] = -1;
    for (int i = 0; i < d->nops; i++) {
        int id = d->ops[i]->id;
        if (id < 0 || id >= d->nids || position[id] >= 0)
            return err_set(err, "op '%s' has id %d, which is taken or too large", d->ops[i]->name, id);
        position[id] = i;
    }
    d->position = position;
    return true;
}

static bool check_readers(const struct dag *d, struct err *err)
{
    for (int i = 0; i < d->nops - 1; i++)
        if (d->analysis[i].nconsumers == 0)
            return err_set(err, "nothing reads '%s'", d->ops[i]->name);
    if (d->ops[d->nops - 1]->kind != OP_COMPUTE)
        return err_set(err, "the last op, '%s', computes nothing", d->ops[d->nops - 1]->name);
    return true;
}

bool dag_make_derived(struct arena *a, struct dag_cache *cache, const struct op *const *ops, int nops, int nids,
                      const struct dag **out, struct err *err)
{
    if (nops < 1 || nops > MOST_OPS)
        return err_set(err, "a graph has 1 to %d ops, not %d", MOST_OPS, nops);
    struct dag *d = ARENA_NEW(a, struct dag);
    *d = (struct dag){.nops = nops, .nids = nids, .cache = cache};
    d->ops = ARENA_DUP(a, ops, const struct op *, nops);
    if (!place_ids(a, d, err))
        return false;
    for (int i = 0; i < nops; i++)
        if (!check_op(d, i, err))
            return false;
    struct op_analysis *analysis = ARENA_ARRAY(a, struct op_analysis, nops);
    d->analysis = analysis;
    access_analysis_fill(a, d, analysis);
    if (!check_readers(d, err))
        return false;
    for (int i = 0; i < nops && d->flops >= 0; i++) {
        double flops = flop_op(ops[i]);
        d->flops = flops < 0 ? -1 : d->flops + flops;
    }
    *out = d;
    return true;
}

struct op *op_derived(struct arena *a, int id, const char *name, const struct axis *axes, int naxes,
                      const struct expr *body)
{
    struct op *op = ARENA_NEW(a, struct op);
    *op = (struct op){.id = id, .kind = OP_COMPUTE, .name = name, .tag = "", .scope = "", .flop_override = -1};
    op->dtype = body->dtype;
    op->axes = axes;
    op->nspatial = naxes;
    op->body = body;
    return op;
}

bool dag_make(struct arena *a, const struct op *const *ops, int nops, int nids, const struct dag **out, struct err *err)
{
    return dag_make_derived(a, dag_cache_open(a), ops, nops, nids, out, err);
}
