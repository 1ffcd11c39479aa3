/* SPDX-License-Identifier: Apache-2.0 */
/* nest: printing and checking of loop nests.
 *
 * The print is for people and for golden tests: two blanks per level, one line per statement, loops by name (several
 * may share one). The check walks the tree once with a bound/not-bound flag per atom and an allocated flag per buffer;
 * of indices it refuses what the ranges prove to be wrong (the interpreter checks the rest, access by access). */
#include "harness/program/ir/nest.h"

#include "harness/base/int_math.h"

#include <math.h>
#include <string.h>

struct affine buffer_offset(struct atoms *p, const struct buffer *b, const struct affine *index)
{
    struct affine sum = affine_const(0);
    int64_t stride = 1;
    for (int d = b->ndim - 1; d >= 0; d--) {
        struct affine at = b->min ? affine_sub(p, index[d], b->min[d]) : index[d];
        sum = affine_add_scaled(p, sum, at, stride);
        stride = sat_mul(stride, b->extent[d]);
    }
    return sum;
}

/* Printing */

static void print_value(const struct nest *n, const struct value *v, struct text *out);

static void print_access(const struct nest *n, const struct buffer *b, const struct affine *index, struct text *out)
{
    text_add(out, b->name);
    if (b->op < 0)
        text_add(out, ".packed");
    text_char(out, '[');
    for (int d = 0; d < b->ndim; d++) {
        text_add(out, d ? ", " : "");
        affine_print(n->atoms, index[d], out);
    }
    text_char(out, ']');
}

static void print_call(const struct nest *n, const struct value *v, struct text *out)
{
    const char *word = v->kind == EXPR_CAST ? dtype_name(v->dtype) : expr_word(v->kind);
    bool infix = v->nargs == 2 && !(word[0] >= 'a' && word[0] <= 'z');
    if (!infix)
        text_add(out, strncmp(word, "tir.", 4) == 0 ? word + 4 : word);
    text_char(out, '(');
    for (int i = 0; i < v->nargs; i++) {
        if (i && infix)
            text_char(out, ' ');
        if (i)
            text_add(out, infix ? word : ",");
        if (i)
            text_char(out, ' ');
        print_value(n, v->args[i], out);
    }
    text_char(out, ')');
}

static void print_value(const struct nest *n, const struct value *v, struct text *out)
{
    switch (v->kind) {
    case EXPR_INT:
        if (v->dtype == DTYPE_BOOL)
            text_add(out, v->i ? "true" : "false");
        else
            text_int(out, v->i);
        return;
    case EXPR_FLOAT:
        if (isfinite(v->f))
            text_number(out, v->f);
        else
            text_add(out, isnan(v->f) ? "nan" : v->f < 0 ? "-inf" : "inf");
        return;
    case EXPR_INDEX:
        affine_print(n->atoms, *v->index, out);
        return;
    case EXPR_LOAD:
        print_access(n, v->buffer, v->index, out);
        return;
    default:
        print_call(n, v, out);
    }
}

static void print_guard(const struct nest *n, const struct guard *g, struct text *out)
{
    if (g->lo != INT64_MIN) {
        text_int(out, g->lo);
        text_add(out, " <= ");
    }
    affine_print(n->atoms, g->form, out);
    if (g->hi != INT64_MAX) {
        text_add(out, " < ");
        text_int(out, g->hi);
    }
}

/* "float32[4, 8] at [i*4, 0]": what exists of a buffer. */
static void print_storage(const struct nest *n, const struct buffer *b, struct text *out)
{
    bool whole = true;
    text_add(out, dtype_name(b->dtype));
    text_char(out, '[');
    for (int d = 0; d < b->ndim; d++) {
        text_add(out, d ? ", " : "");
        text_int(out, b->extent[d]);
        whole = whole && b->min[d].n == 0 && b->min[d].base == 0;
    }
    text_char(out, ']');
    if (b->scope[0]) {
        text_char(out, ' ');
        text_add(out, b->scope);
    }
    for (int d = 0; !whole && d < b->ndim; d++) {
        text_add(out, d ? ", " : " at [");
        affine_print(n->atoms, b->min[d], out);
    }
    text_add(out, whole ? "" : "]");
}

static void print_line(const struct nest *n, const struct stmt *st, struct text *out)
{
    switch (st->kind) {
    case STMT_LOOP:
        text_add(out, annotation_word(st->loop));
        text_char(out, ' ');
        text_add(out, n->atoms->at[st->atom].name);
        text_add(out, " < ");
        text_int(out, st->extent);
        if (st->auto_unroll >= 0) {
            text_add(out, ", auto_unroll ");
            text_int(out, st->auto_unroll);
        }
        return;
    case STMT_GUARD:
        text_add(out, "if ");
        for (int i = 0; i < st->nguards; i++) {
            text_add(out, i ? " && " : "");
            print_guard(n, &st->guards[i], out);
        }
        return;
    case STMT_ALLOC:
        text_add(out, "alloc ");
        text_add(out, st->buffer->name);
        text_add(out, st->buffer->op < 0 ? ".packed: " : ": ");
        print_storage(n, st->buffer, out);
        return;
    case STMT_STORE:
        print_access(n, st->buffer, st->index, out);
        text_add(out, " = ");
        print_value(n, st->value, out);
        return;
    case STMT_SEQ:
        return;
    }
}

static void print_stmt(const struct nest *n, const struct stmt *st, int level, struct text *out)
{
    bool flat = st->kind == STMT_SEQ || st->kind == STMT_ALLOC; /* no level of their own */
    if (st->kind != STMT_SEQ) {
        for (int i = 0; i < level; i++)
            text_add(out, "  ");
        print_line(n, st, out);
        text_char(out, '\n');
    }
    for (int i = 0; i < st->nbody; i++)
        print_stmt(n, st->body[i], flat ? level : level + 1, out);
}

int value_loads(const struct value *v)
{
    int n = v->kind == EXPR_LOAD;
    for (int i = 0; i < v->nargs && v->kind != EXPR_LOAD; i++)
        n += value_loads(v->args[i]);
    return n;
}

void nest_print(const struct nest *n, struct text *out)
{
    for (int i = 0; i < n->nargs; i++) {
        const struct buffer *b = n->buffers[i];
        text_printf(out, "arg %d %s: ", i, b->name);
        print_storage(n, b, out);
        for (int d = 0; d < b->npacked; d++) {
            const struct dim_map *m = &b->packed[d];
            text_printf(out, "%sdim %d / %lld", d ? ", " : " packed from ", m->dim, (long long)m->stride);
        }
        text_char(out, '\n');
    }
    print_stmt(n, n->root, 0, out);
}

/* Checking */

struct check {
    const struct nest *n;
    bool *bound;     /* by atom */
    bool *allocated; /* by buffer id */
    const struct stmt *vector;
    bool guarded; /* inside a guard or a branch: the ranges say nothing */
    struct err *err;
};

static bool check_value(struct check *c, const struct value *v);

static bool check_form(struct check *c, struct affine f, const char *where)
{
    for (int i = 0; i < f.n; i++) {
        int atom = f.terms[i].atom;
        if (atom < 0 || atom >= c->n->atoms->n || f.terms[i].coef == 0)
            return err_set(c->err, "a malformed form in %s", where);
        const struct atom *at = &c->n->atoms->at[atom];
        if (at->kind == ATOM_LOOP && !c->bound[atom])
            return err_set(c->err, "loop '%s' is used in %s outside its body", at->name, where);
        if (at->kind != ATOM_LOOP && !check_form(c, at->of, where))
            return false;
    }
    return true;
}

static bool check_access(struct check *c, const struct buffer *b, const struct affine *index, const char *what)
{
    if (!b || b->id < 0 || b->id >= c->n->nbuffers || c->n->buffers[b->id] != b)
        return err_set(c->err, "a %s of a buffer that the nest does not list", what);
    if (b->role == BUFFER_LOCAL && !c->allocated[b->id])
        return err_set(c->err, "a %s of '%s' outside its allocation", what, b->name);
    for (int d = 0; d < b->ndim; d++) {
        int64_t lo, hi;
        if (!check_form(c, index[d], b->name))
            return false;
        affine_range(c->n->atoms, affine_sub(c->n->atoms, index[d], b->min[d]), &lo, &hi);
        if (!c->guarded && (lo >= b->extent[d] || hi < 0))
            return err_set(c->err, "index %d in a %s of '%s' is always outside", d, what, b->name);
    }
    return true;
}

static bool check_args(struct check *c, const struct value *v)
{
    for (int i = 0; i < v->nargs; i++) {
        bool guarded = c->guarded;
        c->guarded = guarded || (v->kind == EXPR_IF && i > 0);
        if (!v->args[i] || !check_value(c, v->args[i]))
            return v->args[i] ? false : err_set(c->err, "a missing argument of '%s'", expr_word(v->kind));
        c->guarded = guarded;
    }
    return true;
}

static bool check_value(struct check *c, const struct value *v)
{
    switch (v->kind) {
    case EXPR_AXIS:
        return err_set(c->err, "an axis is left in a value");
    case EXPR_INDEX:
        return check_form(c, *v->index, "a value");
    case EXPR_LOAD:
        return check_access(c, v->buffer, v->index, "load");
    default:
        return check_args(c, v);
    }
}

static bool check_stmt(struct check *c, const struct stmt *st);

static bool check_children(struct check *c, const struct stmt *st)
{
    bool right = st->kind == STMT_STORE ? st->nbody == 0 : st->kind == STMT_SEQ ? st->nbody > 0 : st->nbody == 1;
    if (!right)
        return err_set(c->err, "a statement of kind %d with %d children", (int)st->kind, st->nbody);
    for (int i = 0; i < st->nbody; i++)
        if (!check_stmt(c, st->body[i]))
            return false;
    return true;
}

static bool runs_at_once(enum annotation a)
{
    return a == ANN_PARALLEL || a >= ANN_VTHREAD;
}

static bool check_loop(struct check *c, const struct stmt *st)
{
    if (st->atom < 0 || st->atom >= c->n->atoms->n || c->n->atoms->at[st->atom].kind != ATOM_LOOP)
        return err_set(c->err, "a loop without a variable");
    const struct atom *at = &c->n->atoms->at[st->atom];
    if (st->extent < 1 || at->hi != st->extent - 1)
        return err_set(c->err, "loop '%s' runs to %lld, its variable to %lld", at->name, (long long)st->extent,
                       (long long)at->hi + 1);
    if (st->loop < 0 || st->loop > ANN_TENSORIZE)
        return err_set(c->err, "loop '%s' has annotation %d", at->name, (int)st->loop);
    if (c->bound[st->atom])
        return err_set(c->err, "loop '%s' stands inside itself", at->name);
    if (c->vector && runs_at_once(st->loop))
        return err_set(c->err, "loop '%s' is %s inside a vector loop", at->name, annotation_word(st->loop));
    const struct stmt *vector = c->vector;
    if (st->loop == ANN_VECTORIZE)
        c->vector = st;
    c->bound[st->atom] = true;
    if (!check_children(c, st))
        return false;
    c->bound[st->atom] = false;
    c->vector = vector;
    return true;
}

static bool check_guard(struct check *c, const struct stmt *st)
{
    for (int i = 0; i < st->nguards; i++)
        if (!check_form(c, st->guards[i].form, "a guard"))
            return false;
    bool guarded = c->guarded;
    c->guarded = true;
    if (!check_children(c, st))
        return false;
    c->guarded = guarded;
    return true;
}

static bool check_alloc(struct check *c, const struct stmt *st)
{
    const struct buffer *b = st->buffer;
    if (!b || b->role != BUFFER_LOCAL || b->id < 0 || b->id >= c->n->nbuffers || c->allocated[b->id])
        return err_set(c->err, "'%s' is allocated wrongly or twice", b ? b->name : "");
    for (int d = 0; d < b->ndim; d++)
        if (b->extent[d] < 1 || !check_form(c, b->min[d], b->name))
            return b->extent[d] < 1 ? err_set(c->err, "'%s' is empty", b->name) : false;
    c->allocated[b->id] = true;
    if (!check_children(c, st))
        return false;
    c->allocated[b->id] = false;
    return true;
}

static bool check_store(struct check *c, const struct stmt *st)
{
    const struct buffer *b = st->buffer;
    if (b && b->role == BUFFER_ARG && b->arg != c->n->nargs - 1)
        return err_set(c->err, "a store to the input '%s'", b->name);
    if (st->is_init && st->is_update)
        return err_set(c->err, "a store of '%s' is both start and update", b->name);
    return check_children(c, st) && check_access(c, b, st->index, "store") && st->value && check_value(c, st->value);
}

static bool check_stmt(struct check *c, const struct stmt *st)
{
    switch (st->kind) {
    case STMT_LOOP:
        return check_loop(c, st);
    case STMT_GUARD:
        return check_guard(c, st);
    case STMT_ALLOC:
        return check_alloc(c, st);
    case STMT_STORE:
        return check_store(c, st);
    case STMT_SEQ:
        return check_children(c, st);
    }
    return err_set(c->err, "a statement of kind %d", (int)st->kind);
}

bool nest_check(const struct nest *n, struct err *err)
{
    struct arena_mark mark = arena_mark(n->arena);
    int natoms = n->atoms->n + 1; /* affine_sub below may add quotients, never loops */
    struct atoms *own = atoms_copy(n->arena, n->atoms);
    struct nest view = *n;
    view.atoms = own;
    struct check c = {.n = &view, .err = err};
    c.bound = ARENA_ARRAY(n->arena, bool, natoms);
    c.allocated = ARENA_ARRAY(n->arena, bool, n->nbuffers + 1);
    bool fine = true;
    for (int i = 0; i < n->nbuffers; i++)
        if (n->buffers[i]->id != i || (i < n->nargs) != (n->buffers[i]->role == BUFFER_ARG))
            fine = err_set(err, "buffer %d ('%s') is out of place", i, n->buffers[i]->name);
    fine = fine && check_stmt(&c, n->root);
    arena_release(n->arena, mark);
    return fine;
}
