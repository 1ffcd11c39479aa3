/* SPDX-License-Identifier: Apache-2.0 */
/* cross_thread: as TVM v0.16's MakeCrossThreadReduction orders the loops. Deviation: the partial result is made even
 * where TVM needs none, when a stage has no reduce loop but those of the threads; no sketch is so. */
#include "harness/program/lower/cross_thread.h"

#include "harness/program/lower/body.h"

#include <string.h>

enum { CHAIN_MAX = 64 };
/* What stands below the init nest of one reduction: loops, a guard perhaps, the update. */
struct chain {
    const struct stmt *loops[CHAIN_MAX], *guard, *update;
    int n;
};
struct rewriting {
    struct arena *a;
    const struct nest *n;
    const struct buffer **buffers;
    int nbuffers;
};

static bool shares_reduction(const struct stmt *loop)
{
    return loop->iter_kind == ITER_REDUCE && annotation_is_thread(loop->loop);
}

/* Whether s is an init nest with a reduction across threads after it. */
static bool chain_of(const struct stmt *s, struct chain *c)
{
    bool across = false;
    c->n = 0;
    c->guard = NULL;
    if (s->kind != STMT_SEQ || s->nbody != 2)
        return false;
    for (s = s->body[1]; s->kind == STMT_LOOP && c->n < CHAIN_MAX; s = s->body[0]) {
        across = across || shares_reduction(s);
        c->loops[c->n++] = s;
    }
    if (s->kind == STMT_GUARD) {
        c->guard = s;
        s = s->body[0];
    }
    c->update = s;
    return across && s->kind == STMT_STORE && s->is_update;
}

static const struct stmt *init_store(const struct stmt *s)
{
    while (s->kind != STMT_STORE)
        s = s->body[0];
    return s;
}

static struct stmt *with_body(struct rewriting *w, const struct stmt *s, struct stmt *const *body, int n)
{
    struct stmt *out = ARENA_DUP(w->a, s, struct stmt, 1);
    out->body = n ? ARENA_DUP(w->a, body, struct stmt *, n) : NULL;
    out->nbody = n;
    return out;
}

static const struct buffer *temp_new(struct rewriting *w, const struct buffer *of, const char *name)
{
    struct buffer *b = ARENA_NEW(w->a, struct buffer);
    int64_t *one = ARENA_ARRAY(w->a, int64_t, 1);
    *one = 1;
    *b = (struct buffer){.name = name,
                         .op = of->op,
                         .arg = -1,
                         .role = BUFFER_LOCAL,
                         .dtype = of->dtype,
                         .scope = "local",
                         .ndim = 1,
                         .shape = one,
                         .min = ARENA_ARRAY(w->a, struct affine, 1),
                         .extent = one,
                         .original = one,
                         .id = w->nbuffers};
    return w->buffers[w->nbuffers++] = b;
}

static struct stmt *alloc_new(struct rewriting *w, const struct buffer *b, struct stmt *body)
{
    return with_body(w, &(struct stmt){.kind = STMT_ALLOC, .auto_unroll = -1, .buffer = b}, &body, 1);
}

/* Whether the form needs the turn of a loop that reduces. */
static bool uses_reduce(const struct rewriting *w, const struct chain *c, const struct affine *f)
{
    for (int i = 0; i < f->n; i++) {
        const struct atom *atom = &w->n->atoms->at[f->terms[i].atom];
        if (atom->kind != ATOM_LOOP && uses_reduce(w, c, &atom->of))
            return true;
        for (int k = 0; k < c->n && atom->kind == ATOM_LOOP; k++)
            if (c->loops[k]->iter_kind == ITER_REDUCE && c->loops[k]->atom == f->terms[i].atom)
                return true;
    }
    return false;
}

/* The store of the result, under those conditions that are not about the reduction. */
static struct stmt *store_result(struct rewriting *w, const struct chain *c, const struct buffer *result,
                                 const struct buffer *part, const struct affine *zero)
{
    struct stmt *store = with_body(w, c->update, NULL, 0);
    struct guard kept[64];
    int n = 0;
    store->is_update = false;
    store->value = value_load(w->a, result, zero);
    store->across_threads = part;
    for (int i = 0; c->guard && i < c->guard->nguards && n < 64; i++)
        if (!uses_reduce(w, c, &c->guard->guards[i].form))
            kept[n++] = c->guard->guards[i];
    if (!n)
        return store;
    struct stmt *guard = with_body(w, c->guard, &store, 1);
    guard->guards = ARENA_DUP(w->a, kept, struct guard, n);
    guard->nguards = n;
    return guard;
}

static struct stmt *make_across(struct rewriting *w, const struct stmt *init, const struct chain *c)
{
    const struct buffer *out = c->update->buffer, *part = temp_new(w, out, "normal_reduce_temp"),
                        *result = temp_new(w, out, "reduce_temp");
    const struct affine *zero = ARENA_ARRAY(w->a, struct affine, 1);
    struct stmt *start = with_body(w, init_store(init), NULL, 0), *update = with_body(w, c->update, NULL, 0);
    start->buffer = update->buffer = part;
    start->index = update->index = zero;
    update->value =
        value_make2(w->a, update->value->kind, out->dtype, value_load(w->a, part, zero), update->value->args[1]);
    if (c->guard)
        update = with_body(w, c->guard, &update, 1);
    for (int i = c->n - 1; i >= 0; i--)
        if (c->loops[i]->iter_kind == ITER_REDUCE && !annotation_is_thread(c->loops[i]->loop))
            update = with_body(w, c->loops[i], &update, 1);
    struct stmt *steps[3] = {start, update, store_result(w, c, result, part, zero)};
    struct stmt *body = with_body(w, &(struct stmt){.kind = STMT_SEQ, .auto_unroll = -1}, steps, 3);
    body = alloc_new(w, result, alloc_new(w, part, body));
    for (int i = c->n - 1; i >= 0; i--)
        if (c->loops[i]->iter_kind != ITER_REDUCE || annotation_is_thread(c->loops[i]->loop))
            body = with_body(w, c->loops[i], &body, 1);
    return body;
}

static struct stmt *rewrite(struct rewriting *w, struct stmt *s)
{
    struct chain c;
    if (chain_of(s, &c))
        return make_across(w, s->body[0], &c);
    struct stmt **body = ARENA_ARRAY(w->a, struct stmt *, s->nbody + 1);
    bool changed = false;
    for (int i = 0; i < s->nbody; i++) {
        body[i] = rewrite(w, s->body[i]);
        changed = changed || body[i] != s->body[i];
    }
    return changed ? with_body(w, s, body, s->nbody) : s;
}

static int count_across(const struct stmt *s)
{
    struct chain c;
    int n = chain_of(s, &c);
    for (int i = 0; i < s->nbody; i++)
        n += count_across(s->body[i]);
    return n;
}

const struct nest *cross_thread_nest(struct arena *a, const struct nest *n)
{
    int across = count_across(n->root);
    if (!across)
        return n;
    struct nest *out = ARENA_DUP(a, n, struct nest, 1);
    struct rewriting w = {.a = a, .n = n, .nbuffers = n->nbuffers};
    w.buffers = ARENA_ARRAY(a, const struct buffer *, n->nbuffers + 2 * across);
    memcpy(w.buffers, n->buffers, sizeof *w.buffers * (size_t)n->nbuffers);
    out->root = rewrite(&w, n->root);
    out->buffers = w.buffers;
    out->nbuffers = w.nbuffers;
    return out;
}
