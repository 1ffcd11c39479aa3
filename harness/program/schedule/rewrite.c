/* SPDX-License-Identifier: Apache-2.0 */
/* rewrite: CHR, CHW and RF on a dag, with the names that TVM gives (cache_read, cache_write, rfactor of its schedules):
 * "X.shared" over axes ax0...; "X.local" over "i_c" beside the old reduce axes, with axes of extent 1 read as 0; "X.rf"
 * with parts "k_o" and "k_i", "X.repl" over ax0... and "k_o_v".
 *
 * The stage that readers see keeps its id, so no other body changes: for CHW and RF the new stage in front gets the new
 * id. */
#include "harness/program/schedule/rewrite.h"

#include "harness/program/ir/dag_cache.h"
#include "harness/program/ir/dag_make.h"
#include "harness/program/ir/fold.h"

#include <float.h>
#include <stdint.h>
#include <string.h>

struct request {
    int position;
    const char *scope;
    const int *readers;
    int nreaders;
    const struct rf_split *split;
};

static int axis_count(const struct op *op)
{
    return op->nspatial + op->nreduce;
}

static const struct expr *load_axes(struct arena *a, const struct op *op, int id)
{
    const struct expr **index = ARENA_ARRAY(a, const struct expr *, op->nspatial);
    for (int i = 0; i < op->nspatial; i++)
        index[i] = expr_axis(a, i);
    return expr_load(a, id, op->dtype, op->nspatial, index);
}

/* Spatial axes of op as te.compute names them. */
static void fresh_axes(struct arena *a, const struct op *op, struct axis *axes)
{
    for (int i = 0; i < op->nspatial; i++)
        axes[i] = (struct axis){arena_printf(a, "ax%d", i), op->axes[i].extent};
}

/* The ops of d with a free place at position. */
static const struct op **open_place(struct arena *a, const struct dag *d, int position)
{
    const struct op **ops = ARENA_ARRAY(a, const struct op *, d->nops + 1);
    for (int i = 0; i < d->nops; i++)
        ops[i < position ? i : i + 1] = d->ops[i];
    return ops;
}

static bool finish(struct arena *a, const struct dag *d, const struct op **ops, const struct dag **out, struct err *err)
{
    return dag_make_derived(a, d->cache, ops, d->nops + 1, d->nids + 1, out, err);
}

static bool check_stage(const struct dag *d, int position, bool compute, const char *step, struct err *err)
{
    if (position < 0 || position >= d->nops)
        return err_set(err, "%s of stage %d: there are %d", step, position, d->nops);
    if (compute && d->ops[position]->kind != OP_COMPUTE)
        return err_set(err, "%s of '%s', which computes nothing", step, d->ops[position]->name);
    return true;
}

static bool make_cache_read(struct arena *a, const struct dag *d, const void *request, const struct dag **out,
                            struct err *err)
{
    const struct request *r = request;
    const struct op *op = d->ops[r->position];
    const struct op **ops = open_place(a, d, r->position + 1);
    struct axis *axes = ARENA_ARRAY(a, struct axis, op->nspatial);
    fresh_axes(a, op, axes);
    struct op *copy = op_derived(a, d->nids, arena_printf(a, "%s.%s", op->name, r->scope), axes, op->nspatial,
                                 load_axes(a, op, op->id));
    copy->scope = arena_str(a, r->scope);
    ops[r->position + 1] = copy;
    for (int i = 0; i < r->nreaders; i++) {
        struct op *reader = ARENA_DUP(a, d->ops[r->readers[i]], struct op, 1);
        reader->body = expr_replace(a, reader->body, NULL, 0, op->id, copy->id);
        ops[r->readers[i] + 1] = reader;
    }
    return finish(a, d, ops, out, err);
}

static bool check_readers(const struct dag *d, const struct request *r, struct err *err)
{
    const struct op_analysis *f = &d->analysis[r->position];
    if (r->nreaders < 1 || r->nreaders > 64)
        return err_set(err, "CHR of '%s' with %d readers", d->ops[r->position]->name, r->nreaders);
    for (int i = 0; i < r->nreaders; i++) {
        bool reads = false;
        for (int j = 0; j < f->nconsumers; j++)
            reads |= f->consumers[j] == r->readers[i];
        if (!reads)
            return err_set(err, "CHR: stage %d does not read '%s'", r->readers[i], d->ops[r->position]->name);
    }
    return true;
}

bool rewrite_cache_read(const struct dag *d, int position, const char *scope, const int *readers, int nreaders,
                        const struct dag **out, struct err *err)
{
    struct request r = {.position = position, .scope = scope, .readers = readers, .nreaders = nreaders};
    if (!check_stage(d, position, false, "CHR", err) || !check_readers(d, &r, err))
        return false;
    struct dag_cache_key key = {.words = {0, position, nreaders}, .n = 3 + nreaders, .scope = scope};
    for (int i = 0; i < nreaders; i++)
        key.words[3 + i] = readers[i];
    return dag_cache_get(d, &key, make_cache_read, &r, out, err);
}

static bool make_cache_write(struct arena *a, const struct dag *d, const void *request, const struct dag **out,
                             struct err *err)
{
    const struct request *r = request;
    const struct op *op = d->ops[r->position];
    const struct op **ops = open_place(a, d, r->position);
    struct op *cache = ARENA_DUP(a, op, struct op, 1), *copy = ARENA_DUP(a, op, struct op, 1);
    struct axis *axes = ARENA_DUP(a, op->axes, struct axis, axis_count(op));
    const struct expr **at = ARENA_ARRAY(a, const struct expr *, axis_count(op));
    for (int i = 0; i < op->nspatial; i++) {
        axes[i].name = arena_printf(a, "%s_c", op->axes[i].name);
        at[i] = axes[i].extent == 1 ? expr_int(a, 0) : NULL;
    }
    cache->id = d->nids;
    cache->name = arena_printf(a, "%s.%s", op->name, r->scope);
    cache->scope = arena_str(a, r->scope);
    cache->axes = axes;
    cache->body = expr_replace(a, op->body, at, axis_count(op), -1, -1);
    copy->nreduce = 0;
    copy->reducer = REDUCE_NONE;
    copy->body = load_axes(a, op, cache->id);
    copy->nrewritten = copy->nconst_axes = 0; /* attributes go with the computation */
    copy->flop_override = -1;
    ops[r->position] = cache;
    ops[r->position + 1] = copy;
    return finish(a, d, ops, out, err);
}

bool rewrite_cache_write(const struct dag *d, int position, const char *scope, const struct dag **out, struct err *err)
{
    struct request r = {.position = position, .scope = scope};
    if (!check_stage(d, position, true, "CHW", err))
        return false;
    struct dag_cache_key key = {.words = {1, position}, .n = 2, .scope = scope};
    return dag_cache_get(d, &key, make_cache_write, &r, out, err);
}

static const struct expr *identity(struct arena *a, const struct op *op)
{
    bool most = op->reducer == REDUCE_MIN;
    if (!dtype_is_float(op->dtype))
        return expr_cast(a, op->dtype, expr_int(a, op->reducer == REDUCE_SUM ? 0 : most ? INT32_MAX : INT32_MIN));
    double limit = op->dtype == DTYPE_F32 ? (double)FLT_MAX : DBL_MAX;
    return expr_float(a, op->dtype, op->reducer == REDUCE_SUM ? 0 : most ? limit : -limit);
}

/* What make_rfactor works out before it makes ops. */
struct factoring {
    struct arena *a;
    const struct op *op;
    const struct rf_split *s;
    bool touched[DIMS_MAX];
    const struct expr *at[DIMS_MAX]; /* old axis -> expression over the axes of the partial result */
    struct axis axes[DIMS_MAX];      /* of the partial result */
    int nspatial, nreduce;
    struct axis kept; /* the part that becomes spatial */
};

/* TVM's names: k -> k_o, k_i; rv0 and rv1 fused -> rv0_rv1_fused_o. */
static const char *part_name(const struct factoring *f, bool outer)
{
    const char *name = f->op->axes[f->s->reduce_axes[0]].name;
    for (int i = 1; i < f->s->nreduce_axes; i++)
        name = arena_printf(f->a, "%s_%s_fused", name, f->op->axes[f->s->reduce_axes[i]].name);
    return arena_printf(f->a, "%s_%c", name, outer ? 'o' : 'i');
}

static void place_axes(struct factoring *f)
{
    const struct op *op = f->op;
    int n = 0;
    for (int i = 0; i <= op->nspatial; i++) {
        if (i == f->s->factor_axis)
            f->axes[n++] = f->kept;
        if (i == op->nspatial)
            break;
        f->at[i] = expr_axis(f->a, n);
        f->axes[n++] = op->axes[i];
    }
    f->nspatial = n;
    for (int i = op->nspatial; i < axis_count(op); i++) {
        if (f->touched[i])
            continue;
        f->at[i] = expr_axis(f->a, n);
        f->axes[n++] = op->axes[i];
    }
    bool outer = !f->s->keep_outer;
    f->axes[n++] = (struct axis){part_name(f, outer), outer ? f->s->outer : f->s->inner};
    f->nreduce = n - f->nspatial;
}

/* The place in the fused domain, outer * extent of inner + inner; a part of extent 1 counts as 0. */
static const struct expr *fused_index(const struct factoring *f)
{
    const struct rf_split *s = f->s;
    const struct expr *kept = expr_axis(f->a, s->factor_axis), *other = expr_axis(f->a, f->nspatial + f->nreduce - 1);
    const struct expr *zero = expr_int(f->a, 0);
    const struct expr *outer = s->outer == 1 ? zero : s->keep_outer ? kept : other;
    const struct expr *inner = s->inner == 1 ? zero : s->keep_outer ? other : kept;
    return expr_fold(f->a, EXPR_ADD, expr_fold_int(f->a, EXPR_MUL, outer, s->inner), inner);
}

static const struct expr *partial_body(struct factoring *f)
{
    const struct rf_split *s = f->s;
    const struct expr *fused = fused_index(f), *rest = fused;
    int64_t domain = 1;
    for (int i = s->nreduce_axes - 1; i >= 0; i--) {
        int axis = s->reduce_axes[i];
        int64_t extent = f->op->axes[axis].extent;
        f->at[axis] = i ? expr_fold_int(f->a, EXPR_FLOORMOD, rest, extent) : rest;
        rest = expr_fold_int(f->a, EXPR_FLOORDIV, rest, extent);
        domain *= extent;
    }
    const struct expr *body = expr_replace(f->a, f->op->body, f->at, axis_count(f->op), -1, -1);
    if (!s->guard)
        return body;
    const struct expr *inside = expr_make2(f->a, EXPR_LT, fused, expr_int(f->a, domain));
    return expr_make3(f->a, EXPR_IF, inside, body, identity(f->a, f->op));
}

static const struct op *final_op(const struct factoring *f, int partial_id)
{
    struct arena *a = f->a;
    const struct op *op = f->op;
    struct axis *axes = ARENA_ARRAY(a, struct axis, op->nspatial + 1);
    fresh_axes(a, op, axes);
    axes[op->nspatial] = (struct axis){arena_printf(a, "%s_v", f->kept.name), f->kept.extent};
    const struct expr **index = ARENA_ARRAY(a, const struct expr *, op->nspatial + 1);
    for (int i = 0, n = 0; n <= op->nspatial; n++)
        index[n] = expr_axis(a, n == f->s->factor_axis ? op->nspatial : i++);
    struct op *last = op_derived(a, op->id, arena_printf(a, "%s.repl", op->name), axes, op->nspatial,
                                 expr_load(a, partial_id, op->dtype, op->nspatial + 1, index));
    last->nreduce = 1;
    last->reducer = op->reducer;
    return last;
}

static bool make_rfactor(struct arena *a, const struct dag *d, const void *request, const struct dag **out,
                         struct err *err)
{
    const struct request *r = request;
    struct factoring *f = ARENA_NEW(a, struct factoring);
    f->a = a;
    f->op = d->ops[r->position];
    f->s = r->split;
    for (int i = 0; i < f->s->nreduce_axes; i++)
        f->touched[f->s->reduce_axes[i]] = true;
    f->kept = (struct axis){part_name(f, f->s->keep_outer), f->s->keep_outer ? f->s->outer : f->s->inner};
    place_axes(f);
    struct op *partial = ARENA_DUP(a, f->op, struct op, 1);
    partial->id = d->nids;
    partial->name = arena_printf(a, "%s.rf", f->op->name);
    partial->axes = ARENA_DUP(a, f->axes, struct axis, f->nspatial + f->nreduce);
    partial->nspatial = f->nspatial;
    partial->nreduce = f->nreduce;
    partial->body = partial_body(f);
    const struct op **ops = open_place(a, d, r->position);
    ops[r->position] = partial;
    ops[r->position + 1] = final_op(f, partial->id);
    return finish(a, d, ops, out, err);
}

static bool check_split(const struct op *op, const struct rf_split *s, struct err *err)
{
    if (op->reducer == REDUCE_NONE || s->nreduce_axes < 1 || s->nreduce_axes > op->nreduce)
        return err_set(err, "RF of '%s' over %d of %d reduce axes", op->name, s->nreduce_axes, op->nreduce);
    if (s->factor_axis < 0 || s->factor_axis > op->nspatial)
        return err_set(err, "RF of '%s': factor position %d, it has %d spatial axes", op->name, s->factor_axis,
                       op->nspatial);
    int64_t domain = 1;
    for (int i = 0; i < s->nreduce_axes; i++) {
        int axis = s->reduce_axes[i];
        if (axis < op->nspatial || axis >= axis_count(op) || (i > 0 && axis <= s->reduce_axes[i - 1]))
            return err_set(err, "RF of '%s': axis %d is no reduce axis or out of order", op->name, axis);
        domain *= op->axes[axis].extent;
    }
    if (s->outer < 1 || s->inner < 1 || s->outer > domain || s->inner > ((int64_t)1 << 31) ||
        s->outer * s->inner < domain)
        return err_set(err, "RF of '%s': parts %lld and %lld do not cover %lld", op->name, (long long)s->outer,
                       (long long)s->inner, (long long)domain);
    if (s->guard != (s->outer * s->inner > domain))
        return err_set(err, "RF of '%s': a guard is %s", op->name, s->guard ? "not needed" : "needed");
    return true;
}

bool rewrite_rfactor(const struct dag *d, int position, const struct rf_split *s, const struct dag **out,
                     struct err *err)
{
    struct request r = {.position = position, .scope = "", .split = s};
    if (!check_stage(d, position, true, "RF", err) || !check_split(d->ops[position], s, err))
        return false;
    struct dag_cache_key key = {
        .words = {2, position, s->factor_axis, s->outer, s->inner, s->keep_outer, s->guard, s->nreduce_axes},
        .n = 8 + s->nreduce_axes,
        .scope = ""};
    for (int i = 0; i < s->nreduce_axes; i++)
        key.words[8 + i] = s->reduce_axes[i];
    return dag_cache_get(d, &key, make_rfactor, &r, out, err);
}
