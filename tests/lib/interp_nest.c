/* SPDX-License-Identifier: Apache-2.0 */
/* interp_nest: executes the statements one by one. For speed the value of every atom is kept in a table; at every turn
 * a loop computes those div and mod atoms anew that depend on it, so that an index is a short sum of products. What is
 * not allocated before it is used, or not written before it is read, shows as a refused access or as NaN. */
#include "tests/lib/interp_nest.h"

#include "harness/base/int_math.h"
#include "harness/program/interp/interp_expr.h"
#include "harness/program/ir/element.h"
#include "harness/program/ir/half.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct storage {
    void *at;
    int64_t *min; /* by dimension, fixed when allocated */
    size_t bytes;
    bool live;
};

struct nest_run {
    const struct nest *n;
    int64_t *value;               /* by atom */
    int **dependent, *ndependent; /* by loop atom: div and mod atoms to recompute, ascending */
    struct storage *store;        /* by buffer id */
    int64_t left;                 /* statements; < 0: no limit */
    struct err *err;
    bool failed;
};

static int64_t affine_value(const struct nest_run *r, struct affine f)
{
    int64_t sum = f.base;
    for (int i = 0; i < f.n; i++)
        sum += f.terms[i].coef * r->value[f.terms[i].atom];
    return sum;
}

static void set_loop(struct nest_run *r, int atom, int64_t v)
{
    r->value[atom] = v;
    for (int i = 0; i < r->ndependent[atom]; i++) {
        int d = r->dependent[atom][i];
        const struct atom *at = &r->n->atoms->at[d];
        int64_t x = affine_value(r, at->of);
        r->value[d] = at->kind == ATOM_DIV ? floor_div(x, at->by) : floor_mod(x, at->by);
    }
}

static double refuse(struct nest_run *r, const struct buffer *b, int d, int64_t at, const char *what)
{
    if (!r->failed) {
        const struct storage *s = &r->store[b->id];
        r->failed = true;
        if (!s->live)
            err_set(r->err, "%s of '%s' outside its allocation", what, b->name);
        else
            err_set(r->err, "%s of '%s': index %d is %lld, outside %lld..%lld", what, b->name, d, (long long)at,
                    (long long)s->min[d], (long long)(s->min[d] + b->extent[d] - 1));
    }
    return NAN;
}

/* Element number of an access, or -1 after refusing it. */
static int64_t element_of(struct nest_run *r, const struct buffer *b, const struct affine *index, const char *what)
{
    const struct storage *s = &r->store[b->id];
    int64_t element = 0;
    if (!s->live) {
        refuse(r, b, 0, 0, what);
        return -1;
    }
    for (int d = 0; d < b->ndim; d++) {
        int64_t at = affine_value(r, index[d]), i = at - s->min[d];
        if (i < 0 || i >= b->extent[d]) {
            refuse(r, b, d, at, what);
            return -1;
        }
        element = element * b->extent[d] + i;
    }
    return element;
}

/* Every operator: its kind, and its result. In MIN and MAX a NaN must come through, whichever side it is on. */
#define OPERATORS(X)                                                                                                   \
    INTERP_REALS(X)                                                                                                    \
    INTERP_COMPARISONS(X)                                                                                              \
    X(FLOORDIV, floor(x / y))                                                                                          \
    X(FLOORMOD, x - floor(x / y) * y)                                                                                  \
    X(MIN, x < y || isnan(x) ? x : y)                                                                                  \
    X(MAX, x > y || isnan(x) ? x : y)                                                                                  \
    X(AND, x != 0 && y != 0)                                                                                           \
    X(OR, x != 0 || y != 0)                                                                                            \
    X(NOT, x == 0)

static double cast(enum dtype to, double x)
{
    return to == DTYPE_F32    ? (double)(float)x
           : to == DTYPE_F64  ? x
           : to == DTYPE_F16  ? half_value(half_bits(x))
           : to == DTYPE_BOOL ? x != 0
                              : trunc(x);
}

/* y is x where there is one argument. */
static double operate(enum expr_kind k, double x, double y)
{
    switch (k) {
#define X(id, expr)                                                                                                    \
    case EXPR_##id:                                                                                                    \
        return expr;
        OPERATORS(X)
#undef X
    default:
        bug("no operator '%s'", expr_word(k));
    }
}

static double value_of(struct nest_run *r, const struct value *v)
{
    switch (v->kind) {
    case EXPR_INT:
        return (double)v->i;
    case EXPR_FLOAT:
        return v->f;
    case EXPR_INDEX:
        return (double)affine_value(r, *v->index);
    case EXPR_LOAD: {
        int64_t i = element_of(r, v->buffer, v->index, "load");
        return i < 0 ? NAN : element_get(v->buffer->dtype, r->store[v->buffer->id].at, i);
    }
    case EXPR_IF:
        return value_of(r, v->args[value_of(r, v->args[0]) != 0 ? 1 : 2]);
    case EXPR_SELECT: { /* targets may evaluate both, so both must be harmless */
        double c = value_of(r, v->args[0]), x = value_of(r, v->args[1]), y = value_of(r, v->args[2]);
        return c != 0 ? x : y;
    }
    case EXPR_CAST:
        return cast(v->dtype, value_of(r, v->args[0]));
    default: {
        double x = value_of(r, v->args[0]);
        return operate(v->kind, x, v->nargs > 1 ? value_of(r, v->args[1]) : x);
    }
    }
}

static void run(struct nest_run *r, const struct stmt *st);

static void run_guard(struct nest_run *r, const struct stmt *st)
{
    for (int i = 0; i < st->nguards; i++) {
        int64_t x = affine_value(r, st->guards[i].form);
        if (x < st->guards[i].lo || (st->guards[i].hi != INT64_MAX && x >= st->guards[i].hi))
            return;
    }
    run(r, st->body[0]);
}

static void run_alloc(struct nest_run *r, const struct stmt *st)
{
    const struct buffer *b = st->buffer;
    struct storage *s = &r->store[b->id];
    memset(s->at, 0xff, s->bytes); /* NaN */
    for (int d = 0; d < b->ndim; d++)
        s->min[d] = affine_value(r, b->min[d]);
    s->live = true;
    run(r, st->body[0]);
    s->live = false;
}

static void run_store(struct nest_run *r, const struct stmt *st)
{
    double v = value_of(r, st->value);
    int64_t i = element_of(r, st->buffer, st->index, "store");
    if (i >= 0)
        element_put(st->buffer->dtype, r->store[st->buffer->id].at, i, v);
}

static void run(struct nest_run *r, const struct stmt *st)
{
    if (r->failed)
        return;
    if (r->left == 0) {
        r->failed = true;
        err_set(r->err, "more statements than the limit");
        return;
    }
    r->left--;
    switch (st->kind) {
    case STMT_LOOP:
        for (int64_t i = 0; i < st->extent && !r->failed; i++) {
            set_loop(r, st->atom, i);
            run(r, st->body[0]);
        }
        return;
    case STMT_SEQ:
        for (int i = 0; i < st->nbody; i++)
            run(r, st->body[i]);
        return;
    case STMT_STORE:
        run_store(r, st);
        return;
    case STMT_GUARD:
        run_guard(r, st);
        return;
    case STMT_ALLOC:
        run_alloc(r, st);
        return;
    }
}

/* Div and mod atoms stand after the atoms they are made of, so ascending order is the order to compute them in. */
static void find_dependents(struct nest_run *r, struct arena *a)
{
    const struct atoms *p = r->n->atoms;
    for (int l = 0; l < p->n; l++) {
        if (p->at[l].kind != ATOM_LOOP)
            continue;
        r->dependent[l] = ARENA_ARRAY(a, int, p->n);
        for (int i = l + 1; i < p->n; i++)
            if (p->at[i].kind != ATOM_LOOP && affine_uses(p, p->at[i].of, l))
                r->dependent[l][r->ndependent[l]++] = i;
    }
}

static void open_storage(struct nest_run *r, struct arena *a, void *const *args)
{
    for (int i = 0; i < r->n->nbuffers; i++) {
        const struct buffer *b = r->n->buffers[i];
        struct storage *s = &r->store[i];
        s->bytes = (size_t)dtype_bytes(b->dtype);
        for (int d = 0; d < b->ndim; d++)
            s->bytes *= (size_t)b->extent[d];
        s->min = ARENA_ARRAY(a, int64_t, b->ndim + 1);
        s->live = b->role == BUFFER_ARG;
        s->at = s->live ? args[b->arg] : malloc(s->bytes);
        if (!s->at) {
            r->failed = true;
            err_set(r->err, "no memory for '%s'", b->name);
        }
    }
}

bool interp_nest(const struct nest *n, void *const *args, int64_t limit, struct err *err)
{
    struct arena *a = arena_open("interp nest");
    int natoms = n->atoms->n;
    struct nest_run r = {.n = n, .left = limit > 0 ? limit : -1, .err = err};
    r.value = ARENA_ARRAY(a, int64_t, natoms + 1);
    r.dependent = ARENA_ARRAY(a, int *, natoms + 1);
    r.ndependent = ARENA_ARRAY(a, int, natoms + 1);
    r.store = ARENA_ARRAY(a, struct storage, n->nbuffers + 1);
    find_dependents(&r, a);
    open_storage(&r, a, args);
    run(&r, n->root);
    for (int i = 0; i < n->nbuffers; i++)
        if (n->buffers[i]->role == BUFFER_LOCAL)
            free(r.store[i].at);
    arena_close(a);
    return !r.failed;
}
