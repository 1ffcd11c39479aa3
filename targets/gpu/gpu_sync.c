/* SPDX-License-Identifier: Apache-2.0 */
/* gpu_sync: as TVM's ThreadSync does it (tir/transforms/thread_storage_sync.cc). A barrier stands before a statement
 * that reads from shared memory what was written since the last barrier, or writes what was read since; the turns of a
 * loop count as following each other. No barrier is needed where the same thread writes and reads the same element.
 * Deviation: TVM calls elements the same whose index is the same expression with the innermost thread in it; here it
 * must also be the same in every turn of the loops between the two, and no two threads may have it. */
#include "targets/gpu/gpu_sync.h"

#include "targets/gpu/gpu_index.h"
#include "targets/gpu/gpu_reduce.h"

struct shared_access {
    const struct buffer *buffer; /* NULL: a barrier */
    struct affine index;
    unsigned missing;
    bool is_write;
};
struct shared_accesses {
    struct shared_access *at;
    int n, cap;
};
struct syncing {
    struct gpu_emitter *em;
    /* By atom: the first one that is bound to the same axis. */
    struct affine *axis;
    bool *has_axis, *fixed; /* fixed: it has one value where the search is now */
    int first[ANN_COUNT];
    int conditions;
};
struct sequence {
    struct gpu_node **at;
    int n, cap;
};

static void push(struct syncing *w, struct shared_accesses *l, struct shared_access a)
{
    if (l->n == l->cap) {
        l->cap = 2 * l->cap + 8;
        struct shared_access *more = ARENA_ARRAY(w->em->arena, struct shared_access, l->cap);
        for (int i = 0; i < l->n; i++)
            more[i] = l->at[i];
        l->at = more;
    }
    l->at[l->n++] = a;
}

static void refuse_condition(const struct syncing *w)
{
    if (w->conditions)
        gpu_fail(w->em, "threads would have to wait for each other under a condition");
}

/* ---- what is accessed ---- */

static void note(struct syncing *w, struct shared_accesses *l, const struct buffer *b, const struct affine *index,
                 struct shared_access a)
{
    if (w->em->storage[b->id].space != GPU_SHARED)
        return;
    a.buffer = b;
    a.index =
        affine_replace(w->em->nest->atoms, gpu_index_relative(w->em, b, index), w->axis, w->has_axis, w->em->natoms);
    push(w, l, a);
}

static void note_value(struct syncing *w, struct shared_accesses *l, const struct value *v, unsigned missing)
{
    if (v->kind == EXPR_LOAD)
        note(w, l, v->buffer, v->index, (struct shared_access){.missing = missing});
    for (int i = 0; i < v->nargs; i++)
        note_value(w, l, v->args[i], missing);
}

static void note_leaf(struct syncing *w, struct shared_accesses *l, const struct gpu_node *n)
{
    const struct stmt *s = gpu_leaf_store(n);
    note_value(w, l, s->value, n->missing);
    if (s->across_threads && gpu_reduction_form(w->em, s->buffer->dtype) != GPU_LANES) {
        push(w, l, (struct shared_access){0});
        refuse_condition(w);
    }
    /* One thread stores the result of a reduction that threads share. */
    unsigned missing = n->missing | (s->across_threads ? 1u << ANN_THREAD_X : 0);
    note(w, l, s->buffer, s->index, (struct shared_access){.missing = missing, .is_write = true});
}

/* The statements that run one after the other; loops with turns of their own stay whole. */
static void flatten(struct syncing *w, struct gpu_node *n, struct sequence *out)
{
    const struct stmt *s = n->s;
    bool whole =
        n->leaf || s->kind == STMT_GUARD || (s->kind == STMT_LOOP && !annotation_is_bound(s->loop) && s->extent > 1);
    if (!whole) {
        for (int i = 0; i < n->nkids; i++)
            flatten(w, n->kids[i], out);
        return;
    }
    if (out->n == out->cap) {
        out->cap = 2 * out->cap + 8;
        struct gpu_node **more = ARENA_ARRAY(w->em->arena, struct gpu_node *, out->cap);
        for (int i = 0; i < out->n; i++)
            more[i] = out->at[i];
        out->at = more;
    }
    out->at[out->n++] = n;
}

/* ---- conflicts ---- */

static bool is_fixed(const struct syncing *w, struct affine f)
{
    for (int i = 0; i < f.n; i++) {
        const struct atom *a = &w->em->nest->atoms->at[f.terms[i].atom];
        if (a->kind == ATOM_LOOP ? !w->fixed[f.terms[i].atom] : !is_fixed(w, a->of))
            return false;
    }
    return true;
}

/* The step of an index from one value of an atom to the next; 0: not known, or none. */
static int64_t step_of(const struct atoms *p, struct affine f, int atom)
{
    int64_t step = 0;
    for (int i = 0; i < f.n; i++) {
        const struct atom *a = &p->at[f.terms[i].atom];
        if (f.terms[i].atom == atom)
            step = f.terms[i].coef < 0 ? -f.terms[i].coef : f.terms[i].coef;
        else if (a->kind != ATOM_LOOP && affine_uses(p, a->of, atom))
            return 0;
    }
    return step;
}

static const enum annotation THREAD_AXES[] = {ANN_THREAD_X, ANN_THREAD_Y, ANN_THREAD_Z};

/* Whether no two threads that make the access have the same element: the steps of their axes do not overlap. */
static bool is_own(const struct syncing *w, const struct shared_access *x)
{
    const struct atoms *p = w->em->nest->atoms;
    int64_t step[3], most[3];
    int n = 0;
    for (int i = 0; i < 3; i++) {
        int atom = w->first[THREAD_AXES[i]], at = n;
        if (atom < 0 || p->at[atom].hi == 0 || x->missing >> THREAD_AXES[i] & 1)
            continue;
        int64_t s = step_of(p, x->index, atom);
        for (; at > 0 && step[at - 1] > s; at--) {
            step[at] = step[at - 1];
            most[at] = most[at - 1];
        }
        step[at] = s;
        most[at] = p->at[atom].hi;
        n++;
    }
    int64_t reach = 0;
    for (int i = 0; i < n; reach += step[i] * most[i], i++)
        if (step[i] <= reach)
            return false;
    return true;
}

static bool conflict(const struct syncing *w, const struct shared_access *x, const struct shared_access *y)
{
    if (x->buffer != y->buffer || x->is_write == y->is_write)
        return false;
    return !(x->missing == y->missing && affine_equal(x->index, y->index) && is_fixed(w, x->index) && is_own(w, x));
}

static bool conflicts(const struct syncing *w, const struct shared_accesses *before, const struct shared_accesses *now)
{
    for (int i = 0; i < now->n; i++) {
        if (!now->at[i].buffer)
            return false;
        for (int k = 0; k < before->n; k++)
            if (conflict(w, &before->at[k], &now->at[i]))
                return true;
    }
    return false;
}

static void put_barrier(struct syncing *w, struct gpu_node *n)
{
    n->barrier = true;
    refuse_condition(w);
}

/* Adds what a statement does to what was done since the last barrier. */
static void follow(struct syncing *w, struct shared_accesses *since, const struct shared_accesses *now)
{
    for (int i = 0; i < now->n; i++)
        if (now->at[i].buffer)
            push(w, since, now->at[i]);
        else
            since->n = 0;
}

static struct shared_accesses summary(struct syncing *w, struct gpu_node *n, const struct stmt *loop);

static struct shared_accesses of_statement(struct syncing *w, struct gpu_node *n)
{
    struct shared_accesses all = {0};
    if (n->leaf) {
        note_leaf(w, &all, n);
        return all;
    }
    bool guard = n->s->kind == STMT_GUARD;
    w->conditions += guard;
    all = summary(w, n, guard ? NULL : n->s);
    w->conditions -= guard;
    return all;
}

/* What another statement may conflict with: all before the first barrier inside, a barrier, all after the last. */
static struct shared_accesses exposed(struct syncing *w, const struct sequence *seq, const struct shared_accesses *of)
{
    struct shared_accesses all = {0};
    int head = -1;
    for (int i = 0; i < seq->n; i++)
        for (int k = seq->at[i]->barrier ? -1 : 0; k < of[i].n; k++) {
            if (k >= 0 && of[i].at[k].buffer) {
                push(w, &all, of[i].at[k]);
                continue;
            }
            if (head < 0) {
                push(w, &all, (struct shared_access){0});
                head = all.n;
            }
            all.n = head;
        }
    return all;
}

static struct shared_accesses summary(struct syncing *w, struct gpu_node *n, const struct stmt *loop)
{
    struct sequence seq = {0};
    struct shared_accesses since = {0};
    for (int i = 0; i < n->nkids; i++)
        flatten(w, n->kids[i], &seq);
    if (loop)
        w->fixed[loop->atom] = true;
    struct shared_accesses *of = ARENA_ARRAY(w->em->arena, struct shared_accesses, seq.n + 1);
    for (int i = 0; i < seq.n; i++) {
        of[i] = of_statement(w, seq.at[i]);
        if (conflicts(w, &since, &of[i])) {
            put_barrier(w, seq.at[i]);
            since.n = 0;
        }
        follow(w, &since, &of[i]);
    }
    if (loop)
        w->fixed[loop->atom] = false;
    /* The next turn. */
    for (int i = 0; loop && i < seq.n && !seq.at[i]->barrier && since.n; i++) {
        if (conflicts(w, &since, &of[i])) {
            put_barrier(w, seq.at[i]);
            break;
        }
        for (int k = 0; k < of[i].n; k++)
            if (!of[i].at[k].buffer)
                since.n = 0;
    }
    return exposed(w, &seq, of);
}

static void find_axes(struct syncing *w, const struct gpu_node *n)
{
    const struct stmt *s = n->s;
    if (s->kind == STMT_LOOP && annotation_is_bound(s->loop)) {
        w->fixed[s->atom] = true;
        if (s->loop != ANN_VTHREAD && w->first[s->loop] < 0)
            w->first[s->loop] = s->atom;
        if (s->loop != ANN_VTHREAD && w->first[s->loop] != s->atom) {
            w->has_axis[s->atom] = true;
            w->axis[s->atom] = affine_atom(w->em->nest->atoms, w->first[s->loop]);
        }
    }
    for (int i = 0; i < n->nkids; i++)
        find_axes(w, n->kids[i]);
}

void gpu_sync(struct gpu_emitter *em, struct gpu_node *kernel)
{
    struct syncing w = {.em = em,
                        .axis = ARENA_ARRAY(em->arena, struct affine, em->natoms + 1),
                        .has_axis = ARENA_ARRAY(em->arena, bool, em->natoms + 1),
                        .fixed = ARENA_ARRAY(em->arena, bool, em->natoms + 1)};
    struct gpu_node root = {.s = &(struct stmt){.kind = STMT_SEQ}, .kids = &kernel, .nkids = 1};
    for (int a = 0; a < ANN_COUNT; a++)
        w.first[a] = -1;
    find_axes(&w, kernel);
    summary(&w, &root, NULL);
}
