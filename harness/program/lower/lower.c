/* SPDX-License-Identifier: Apache-2.0 */
/* lower: state -> loop nest, as TVM v0.16's ScheduleOps does it.
 *
 * Root stages follow one another; an attached stage stands inside the loop it is computed at, before that loop's own
 * body, in stage order. A reduction starts with an init nest over the spatial loops that follow its first reduce loop.
 * Loops of extent 1 vanish, but for bound ones and for one that carries a pragma. Stores are guarded where a split does
 * not divide or a region leaves its tensor; unlike TVM, also at inner levels of outer-first splits, where TVM computes
 * points twice. */
#include "harness/program/lower/lower.h"

#include "harness/base/int_math.h"
#include "harness/program/lower/body.h"
#include "harness/program/lower/bound.h"
#include "harness/program/lower/layout_rewrite.h"

#include <string.h>

#define LOCAL_BYTES_MAX (INT64_C(1) << 40)

struct lowering {
    struct arena *a;
    struct atoms *p;
    const struct state *s;
    struct body_env env;
    const struct buffer **buffer_of;
    struct err *err;
};

struct stmt_list { /* a growing sequence of statements */
    struct stmt **at;
    int n, cap;
};

static void list_add(struct lowering *b, struct stmt_list *l, struct stmt *st)
{
    if (!st)
        return;
    if (l->n == l->cap) {
        int cap = l->cap ? 2 * l->cap : 4;
        struct stmt **at = ARENA_ARRAY(b->a, struct stmt *, cap);
        if (l->n)
            memcpy(at, l->at, sizeof *at * (size_t)l->n);
        l->at = at;
        l->cap = cap;
    }
    l->at[l->n++] = st;
}

static struct stmt *stmt_new(struct lowering *b, enum stmt_kind kind, struct stmt *body)
{
    struct stmt *st = ARENA_NEW(b->a, struct stmt);
    st->kind = kind;
    st->auto_unroll = -1;
    if (body) {
        st->body = ARENA_DUP(b->a, &body, struct stmt *, 1);
        st->nbody = 1;
    }
    return st;
}

static struct stmt *list_stmt(struct lowering *b, const struct stmt_list *l)
{
    if (l->n == 1)
        return l->at[0];
    struct stmt *st = stmt_new(b, STMT_SEQ, NULL);
    st->body = l->at;
    st->nbody = l->n;
    return st;
}

/* ---- buffers ---- */

static bool is_live(const struct stage *st)
{
    return st->op->kind == OP_PLACEHOLDER || st->at != AT_INLINED;
}

/* Storage that no step gave a place: a thread's inside its loops, a block's inside blocks. */
static const char *storage_scope(const struct state *s, int stage)
{
    static const char *const scopes[] = {"", "shared", "local"};
    const char *scope = s->stages[stage].op->scope;
    return scope && scope[0] ? scope : scopes[bound_storage_rank(s, stage)];
}

static struct buffer *buffer_new(struct lowering *b, int stage)
{
    const struct stage *st = &b->s->stages[stage];
    const struct op *op = st->op;
    struct buffer *buf = ARENA_NEW(b->a, struct buffer);
    int64_t *shape = ARENA_ARRAY(b->a, int64_t, op->nspatial + 1),
            *extent = ARENA_ARRAY(b->a, int64_t, op->nspatial + 1);
    struct affine *min = ARENA_ARRAY(b->a, struct affine, op->nspatial + 1);
    for (int d = 0; d < op->nspatial; d++) {
        shape[d] = extent[d] = op->axes[d].extent;
        if (op->kind == OP_COMPUTE && !b->s->dag->analysis[stage].is_output) {
            extent[d] = st->vars[d].extent;
            min[d] = st->vars[d].min;
        }
    }
    *buf = (struct buffer){.name = op->name,
                           .op = stage,
                           .arg = -1,
                           .role = BUFFER_LOCAL,
                           .dtype = op->dtype,
                           .scope = storage_scope(b->s, stage),
                           .ndim = op->nspatial,
                           .shape = shape,
                           .min = min,
                           .extent = extent,
                           .original = shape};
    return buf;
}

static bool make_buffers(struct lowering *b, struct nest *n)
{
    const struct task *t = b->s->task;
    const struct buffer **all = ARENA_ARRAY(b->a, const struct buffer *, b->s->nstages + t->nargs + 1);
    b->buffer_of = ARENA_ARRAY(b->a, const struct buffer *, b->s->nstages);
    for (int i = 0; i < t->nargs; i++) {
        int stage = b->s->dag->position[t->args[i]];
        struct buffer *buf = buffer_new(b, stage);
        buf->role = BUFFER_ARG;
        buf->arg = buf->id = i;
        b->buffer_of[stage] = all[n->nbuffers++] = buf;
    }
    n->nargs = n->nbuffers;
    for (int i = 0; i < b->s->nstages; i++) {
        if (b->buffer_of[i] || !is_live(&b->s->stages[i]))
            continue;
        struct buffer *buf = buffer_new(b, i);
        buf->id = n->nbuffers;
        int64_t bytes = dtype_bytes(buf->dtype);
        for (int d = 0; d < buf->ndim; d++)
            bytes = sat_mul(bytes, buf->extent[d]);
        n->local_bytes = sat_add(n->local_bytes, bytes);
        b->buffer_of[i] = all[n->nbuffers++] = buf;
    }
    n->buffers = all;
    return n->local_bytes <= LOCAL_BYTES_MAX || err_set(b->err, "the stages in between need more than 2^40 bytes");
}

/* ---- index maps ---- */

/* A split part whose parent is not already kept in range by the guard of a root axis: the outer part of a split is. */
static bool parent_is_covered(const struct stage *st, int rel)
{
    int var = st->rels[rel].parent, naxes = st->op->nspatial + st->op->nreduce;
    for (;;) {
        if (var < naxes)
            return true;
        int next = -1;
        for (int i = 0; i < rel; i++)
            if (st->rels[i].kind == REL_SPLIT && st->rels[i].outer == var)
                next = st->rels[i].parent;
        if (next < 0)
            return false;
        var = next;
    }
}

/* A split that gives more turns than its parent has, where no guard of an axis sees to it: it gets one of its own. */
static bool needs_guard(const struct stage *st, int rel)
{
    const struct relation *r = &st->rels[rel];
    return r->kind == REL_SPLIT &&
           sat_mul(st->vars[r->outer].extent, st->vars[r->inner].extent) > st->vars[r->parent].extent &&
           !parent_is_covered(st, rel);
}

static bool has_bound_loop(const struct stage *st)
{
    for (int i = 0; i < st->nleaf; i++)
        if (stage_iter(st, i)->annotation >= ANN_VTHREAD)
            return true;
    return false;
}

/* Atoms that stand for guarded vars while indices are simplified: what the guard keeps in range is known to be. TVM
 * simplifies under every condition; here only stages with bound loops do, so that CPU programs stay as they were. */
struct stand_ins {
    int atom[ITERS_MAX], var[ITERS_MAX];
    struct affine form[ITERS_MAX];
    int n;
};

static void stand_in(struct lowering *b, const struct stage *st, int var, struct affine *v, struct stand_ins *s)
{
    if (s->n == ITERS_MAX)
        return;
    s->var[s->n] = var;
    s->form[s->n] = v[var];
    s->atom[s->n] = atoms_loop(b->p, st->vars[var].name, st->vars[var].extent);
    v[var] = affine_atom(b->p, s->atom[s->n++]);
}

/* The forms without stand-ins. */
static void stand_ins_out(struct lowering *b, const struct stand_ins *s, struct affine *v, int n)
{
    for (int i = 0; i < s->n; i++)
        v[s->var[i]] = s->form[i];        /* in full for its guard, also where the stand-in was a number */
    for (int i = s->n - 1; i >= 0; i--) { /* an earlier one may stand in the form of a later one */
        int natoms = s->atom[i] + 1;
        bool *has = ARENA_ARRAY(b->a, bool, natoms);
        struct affine *with = ARENA_ARRAY(b->a, struct affine, natoms);
        has[s->atom[i]] = true;
        with[s->atom[i]] = s->form[i];
        for (int k = 0; k < n; k++)
            v[k] = affine_replace(b->p, v[k], with, has, natoms);
    }
}

/* Values of all vars of a stage from the atoms of its leaves; leaf_atom[i] < 0 gives 0. */
static void index_vars(struct lowering *b, const struct stage *st, const int *leaf_atom, struct affine *v)
{
    struct stand_ins ins;
    ins.n = 0; /* alone: the rest are kilobytes, and so below */
    bool bound = has_bound_loop(st);
    for (int i = 0; i < st->nleaf; i++)
        v[st->leaf[i]] = leaf_atom[i] >= 0 ? affine_atom(b->p, leaf_atom[i]) : affine_const(0);
    for (int i = st->nrels - 1; i >= 0; i--) {
        const struct relation *r = &st->rels[i];
        int64_t inner = st->vars[r->inner].extent;
        if (r->kind == REL_SPLIT) {
            v[r->parent] = affine_add_scaled(b->p, v[r->inner], v[r->outer], inner);
            if (bound && st->vars[r->parent].extent > 0 && needs_guard(st, i))
                stand_in(b, st, r->parent, v, &ins);
        } else {
            v[r->outer] = affine_div(b->p, v[r->parent], inner);
            v[r->inner] = affine_mod(b->p, v[r->parent], inner);
        }
    }
    stand_ins_out(b, &ins, v, st->nvars);
}

struct guards {
    struct guard at[64];
    int n;
};

static void guard_add(struct lowering *b, struct guards *g, struct affine f, int64_t lo, int64_t hi)
{
    int64_t least, most;
    affine_range(b->p, f, &least, &most);
    if (least >= lo)
        lo = INT64_MIN;
    if (most < hi)
        hi = INT64_MAX;
    if ((lo != INT64_MIN || hi != INT64_MAX) && g->n < 64)
        g->at[g->n++] = (struct guard){f, lo, hi};
}

static bool var_is_reduce(const struct stage *st, int var)
{
    return st->vars[var].kind == ITER_REDUCE;
}

/* init: only the spatial axes count. v: relative values of all vars. */
static void make_guards(struct lowering *b, const struct stage *st, const struct affine *v, bool init, struct guards *g)
{
    int ns = st->op->nspatial, naxes = ns + st->op->nreduce;
    for (int i = 0; i < (init ? ns : naxes); i++) {
        guard_add(b, g, v[i], 0, st->vars[i].extent);
        int64_t extent = st->op->axes[i].extent;
        bool same = affine_is_const(st->vars[i].min) && st->vars[i].min.base == 0 && st->vars[i].extent == extent;
        if (!same)
            guard_add(b, g, affine_add(b->p, v[i], st->vars[i].min), 0, extent);
    }
    for (int i = 0; i < st->nrels; i++) {
        const struct relation *r = &st->rels[i];
        if (needs_guard(st, i) && !(init && var_is_reduce(st, r->parent)))
            guard_add(b, g, v[r->parent], 0, st->vars[r->parent].extent);
    }
}

/* Drops guards that an earlier one repeats: simplified under them, several may come to the same. */
static void guards_once(struct guards *g)
{
    int n = 0;
    for (int i = 0; i < g->n; i++) {
        bool again = false;
        for (int k = 0; k < n && !again; k++)
            again =
                g->at[k].lo == g->at[i].lo && g->at[k].hi == g->at[i].hi && affine_equal(g->at[k].form, g->at[i].form);
        if (!again)
            g->at[n++] = g->at[i];
    }
    g->n = n;
}

/* ---- stores ---- */

static double identity_of(enum reducer r)
{
    return r == REDUCE_MAX ? -3.402823466385288598e+38 : r == REDUCE_MIN ? 3.402823466385288598e+38 : 0;
}

static enum expr_kind combiner(enum reducer r)
{
    return r == REDUCE_MAX ? EXPR_MAX : r == REDUCE_MIN ? EXPR_MIN : EXPR_ADD;
}

/* The store of a stage, guarded. init: the identity; otherwise the value or the update of the reduction. */
static struct stmt *make_store(struct lowering *b, int stage, const int *leaf_atom, bool init)
{
    const struct stage *st = &b->s->stages[stage];
    const struct op *op = st->op;
    struct affine *v = ARENA_ARRAY(b->a, struct affine, st->nvars);
    int naxes = op->nspatial + op->nreduce;
    index_vars(b, st, leaf_atom, v);
    struct guards g;
    g.n = 0;
    make_guards(b, st, v, init, &g);
    if (has_bound_loop(st))
        guards_once(&g);
    struct affine *axes = ARENA_ARRAY(b->a, struct affine, naxes + 1);
    for (int i = 0; i < naxes; i++)
        axes[i] = affine_add(b->p, v[i], st->vars[i].min);
    struct stmt *store = stmt_new(b, STMT_STORE, NULL);
    store->buffer = b->buffer_of[stage];
    store->index = axes;
    store->reducer = op->reducer;
    store->is_init = init;
    store->is_update = !init && op->reducer != REDUCE_NONE;
    if (init)
        store->value = value_float(b->a, op->dtype, identity_of(op->reducer));
    else if (!body_value(&b->env, op->body, axes, &store->value, b->err))
        return NULL;
    if (store->is_update)
        store->value =
            value_make2(b->a, combiner(op->reducer), op->dtype, value_load(b->a, store->buffer, axes), store->value);
    if (!g.n)
        return store;
    struct stmt *guard = stmt_new(b, STMT_GUARD, store);
    guard->guards = ARENA_DUP(b->a, g.at, struct guard, g.n);
    guard->nguards = g.n;
    return guard;
}

/* ---- loops ---- */

static struct stmt *make_loop(struct lowering *b, const struct stage *st, int leaf, int atom, struct stmt *body)
{
    const struct ivar *iv = stage_iter(st, leaf);
    bool bound = iv->annotation >= ANN_VTHREAD;
    bool pragma = !bound && st->has_pragma && st->leaf[leaf] == st->pragma_var;
    if (iv->extent == 1 && !pragma && !bound)
        return body;
    struct stmt *loop = stmt_new(b, STMT_LOOP, body);
    loop->atom = atom >= 0 ? atom : atoms_loop(b->p, iv->name, 1);
    loop->extent = iv->extent;
    loop->loop = iv->extent == 1 && !bound ? ANN_NONE : iv->annotation;
    loop->iter_kind = iv->kind;
    loop->auto_unroll = pragma ? st->auto_unroll : -1;
    return loop;
}

/* The spatial loops from leaf begin on, with fresh atoms, around the init store. */
static struct stmt *make_init(struct lowering *b, int stage, int begin, const int *leaf_atom)
{
    const struct stage *st = &b->s->stages[stage];
    int *atoms = ARENA_DUP(b->a, leaf_atom, int, st->nleaf);
    for (int i = begin; i < st->nleaf; i++) {
        const struct ivar *iv = stage_iter(st, i);
        bool runs = iv->kind != ITER_REDUCE && iv->extent > 1; /* a mixed loop starts some points repeatedly */
        atoms[i] = runs ? atoms_loop(b->p, iv->name, iv->extent) : -1;
    }
    struct stmt *body = make_store(b, stage, atoms, true);
    for (int i = st->nleaf - 1; i >= begin && body; i--)
        if (stage_iter(st, i)->kind != ITER_REDUCE && stage_iter(st, i)->extent > 1)
            body = make_loop(b, st, i, atoms[i], body);
    return body;
}

/* The init nest goes before the outermost reduce loop. */
static struct stmt *add_init(struct lowering *b, int stage, int begin, const int *leaf_atom, struct stmt *body)
{
    struct stmt_list l = {0};
    struct stmt *init = make_init(b, stage, begin, leaf_atom);
    if (!init)
        return NULL;
    list_add(b, &l, init);
    list_add(b, &l, body);
    return list_stmt(b, &l);
}

static struct stmt *make_stage(struct lowering *b, int stage);

/* The stages computed at this loop stand before its body, and their storage lives as long as one turn of it. */
static struct stmt *add_attached(struct lowering *b, int stage, int leaf, struct stmt *body)
{
    const struct stage *st = &b->s->stages[stage];
    struct stmt_list l = {0};
    for (int i = 0; i < stage; i++) {
        const struct stage *p = &b->s->stages[i];
        if (p->op->kind == OP_COMPUTE && p->at == AT_ITER && p->at_stage == stage && p->at_var == st->leaf[leaf]) {
            struct stmt *one = make_stage(b, i);
            if (!one)
                return NULL;
            list_add(b, &l, one);
        }
    }
    if (!l.n)
        return body;
    list_add(b, &l, body);
    struct stmt *out = list_stmt(b, &l);
    for (int i = stage - 1; i >= 0; i--) {
        const struct stage *p = &b->s->stages[i];
        if (p->op->kind == OP_COMPUTE && p->at == AT_ITER && p->at_stage == stage && p->at_var == st->leaf[leaf]) {
            out = stmt_new(b, STMT_ALLOC, out);
            out->buffer = b->buffer_of[i];
        }
    }
    return out;
}

static struct stmt *make_stage(struct lowering *b, int stage)
{
    const struct stage *st = &b->s->stages[stage];
    int *leaf_atom = ARENA_ARRAY(b->a, int, st->nleaf + 1), begin = st->nleaf;
    for (int i = st->nleaf - 1; i >= 0; i--) {
        leaf_atom[i] = stage_iter(st, i)->atom;
        if (stage_iter(st, i)->kind != ITER_SPATIAL && st->op->reducer != REDUCE_NONE)
            begin = i;
    }
    struct stmt *body = make_store(b, stage, leaf_atom, false);
    for (int i = st->nleaf - 1; i >= 0 && body; i--) {
        body = add_attached(b, stage, i, body);
        if (!body)
            return NULL;
        body = make_loop(b, st, i, leaf_atom[i], body);
        if (i == begin)
            body = add_init(b, stage, begin, leaf_atom, body);
    }
    if (body && st->op->reducer != REDUCE_NONE && begin == st->nleaf) /* a reduction over nothing */
        body = add_init(b, stage, begin, leaf_atom, body);
    return body;
}

static struct stmt *make_program(struct lowering *b)
{
    struct stmt_list l = {0};
    for (int i = 0; i < b->s->nstages; i++) {
        const struct stage *st = &b->s->stages[i];
        if (st->op->kind != OP_COMPUTE || st->at != AT_ROOT)
            continue;
        struct stmt *one = make_stage(b, i);
        if (!one)
            return NULL;
        list_add(b, &l, one);
    }
    if (!l.n) {
        err_set(b->err, "no stage is computed");
        return NULL;
    }
    struct stmt *out = list_stmt(b, &l);
    for (int i = b->s->nstages - 1; i >= 0; i--) {
        const struct stage *st = &b->s->stages[i];
        if (st->op->kind == OP_COMPUTE && st->at == AT_ROOT && b->buffer_of[i]->role == BUFFER_LOCAL) {
            out = stmt_new(b, STMT_ALLOC, out);
            out->buffer = b->buffer_of[i];
        }
    }
    return out;
}

/* Steps can ask for what no target has: lanes of a vector that are threads. */
static bool kinds_fit(const struct atoms *p, const struct stmt *st, bool in_vector, struct err *err)
{
    bool at_once = st->kind == STMT_LOOP && (st->loop == ANN_PARALLEL || st->loop >= ANN_VTHREAD);
    if (in_vector && at_once)
        return err_set(err, "loop '%s' is parallel inside a vector loop", p->at[st->atom].name);
    in_vector = in_vector || (st->kind == STMT_LOOP && st->loop == ANN_VECTORIZE);
    for (int i = 0; i < st->nbody; i++)
        if (!kinds_fit(p, st->body[i], in_vector, err))
            return false;
    return true;
}

bool lower(struct arena *a, const struct state *s, enum layout_mode mode, struct nest **out, struct err *err)
{
    if (!s->atoms)
        bug("lower() before bound_infer()");
    struct nest *n = ARENA_NEW(a, struct nest);
    struct lowering b = {.a = a, .p = atoms_copy(a, s->atoms), .s = s, .err = err}; /* s may be shared by threads */
    n->arena = a;
    n->atoms = b.p;
    if (!make_buffers(&b, n))
        return false;
    b.env = (struct body_env){.arena = a, .atoms = b.p, .s = s, .buffer_of = b.buffer_of};
    n->root = make_program(&b);
    if (!n->root || !kinds_fit(n->atoms, n->root, false, err))
        return false;
    if (mode != LAYOUT_NONE)
        layout_rewrite_weights(n, s->dag, mode);
    *out = n;
    return true;
}

bool lower_steps(struct arena *a, const struct task *t, const struct step *steps, int n, enum layout_mode mode,
                 struct nest **out, struct err *err)
{
    struct state *s;
    return state_replay(a, t, steps, n, &s, err) && bound_infer(s, err) && lower(a, s, mode, out, err);
}

const struct nest *lower_kept(struct arena *a, const struct state *s)
{
    struct nest *n;
    if (s->nest)
        return s->nest;
    return s->atoms && lower(a, s, LAYOUT_NONE, &n, NULL) ? n : NULL;
}
