/* SPDX-License-Identifier: Apache-2.0 */
/* nest_store: one walk of the nest; a store's loops are copied where they change, its accesses are found by the loop
 * variables that its index forms hold, inside quotients and remainders too. */
#include "models/sa/nest_store.h"

#include "harness/program/features/op_count.h"
#include "harness/program/ir/affine.h"

#include <string.h>

struct walker {
    struct arena *a;
    const struct nest *nest;
    struct nest_store_loop loops[NEST_STORE_LOOPS];
    const struct nest_store_loop
        *kept; /* a copy of loops in a, shared by the stores of one place; NULL: changed since */
    int depth;
    int *of_atom; /* open loop of an atom, or -1 */
    struct nest_store *out;
    int n, cap;
    struct err *err;
};

double nest_store_turns(const struct nest_store *s, uint64_t loops)
{
    double turns = 1;
    for (int i = 0; i < s->nloops; i++)
        if (loops >> i & 1)
            turns *= (double)s->loops[i].extent;
    return turns;
}

static void add_access(const struct walker *w, struct nest_store_access *at, int *n, const struct buffer *b,
                       const struct affine *index)
{
    int i = 0;
    while (i < *n && at[i].buffer != b)
        i++;
    if (i == *n)
        at[(*n)++] = (struct nest_store_access){.buffer = b};
    for (int d = 0; d < b->ndim; d++) {
        uint64_t loops = affine_loops(w->nest->atoms, &index[d], w->of_atom);
        at[i].loops |= loops;
        if (d == b->ndim - 1)
            at[i].in_last |= loops;
    }
}

static void add_loads(const struct walker *w, struct nest_store_access *at, int *n, const struct value *v)
{
    if (v->kind == EXPR_LOAD) {
        add_access(w, at, n, v->buffer, v->index);
        return;
    }
    for (int i = 0; i < v->nargs; i++)
        add_loads(w, at, n, v->args[i]);
}

static void walk_store(struct walker *w, const struct stmt *s)
{
    int counts[OP_COUNT_KINDS] = {0};
    if (w->n == w->cap) { /* stores are few: a list of pointers would be no better */
        struct nest_store *more = ARENA_ARRAY(w->a, struct nest_store, 2 * w->cap + 8);
        if (w->n)
            memcpy(more, w->out, sizeof *more * (size_t)w->n);
        w->out = more;
        w->cap = 2 * w->cap + 8;
    }
    if (!w->kept)
        w->kept = ARENA_DUP(w->a, w->loops, struct nest_store_loop, w->depth);
    struct nest_store *out = &w->out[w->n++];
    struct nest_store_access *at = ARENA_ARRAY(w->a, struct nest_store_access, 1 + value_loads(s->value));
    op_count_matrix_store(w->nest->atoms, s, counts);
    *out = (struct nest_store){.store = s,
                               .loops = w->kept,
                               .nloops = w->depth,
                               .accesses = at,
                               .ops = counts[OP_COUNT_ADDSUB] + counts[OP_COUNT_MUL] + counts[OP_COUNT_DIVMOD]};
    add_access(w, at, &out->naccesses, s->buffer, s->index);
    add_loads(w, at, &out->naccesses, s->value);
}

static bool walk(struct walker *w, const struct stmt *s)
{
    bool opened = s->kind == STMT_LOOP && (s->extent != 1 || annotation_is_bound(s->loop)), fine = true;
    if (s->kind == STMT_STORE)
        walk_store(w, s);
    if (opened) {
        if (w->depth == NEST_STORE_LOOPS)
            return err_set(w->err, "nest is deeper than %d loops", NEST_STORE_LOOPS);
        if (s->atom >= 0)
            w->of_atom[s->atom] = w->depth;
        w->loops[w->depth++] = (struct nest_store_loop){s->extent, s->loop};
        w->kept = NULL;
    }
    for (int i = 0; i < s->nbody && fine; i++)
        fine = walk(w, s->body[i]);
    if (opened) {
        w->depth--;
        w->kept = NULL;
        if (s->atom >= 0)
            w->of_atom[s->atom] = -1;
    }
    return fine;
}

bool nest_stores_find(struct arena *a, const struct nest *n, struct nest_stores *out, struct err *err)
{
    struct walker w = {.a = a, .nest = n, .of_atom = ARENA_ARRAY(a, int, n->atoms->n), .err = err};
    memset(w.of_atom, 0xff, sizeof *w.of_atom * (size_t)n->atoms->n);
    bool fine = walk(&w, n->root);
    *out = (struct nest_stores){.n = w.n, .at = w.out};
    return fine;
}
