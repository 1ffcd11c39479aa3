/* SPDX-License-Identifier: Apache-2.0 */
/* gpu_emit: from the root of a nest to its kernels, and the statements of a kernel. */
#include "targets/gpu/gpu_emit.h"

#include "harness/base/int_math.h"
#include "harness/program/lower/cross_thread.h"
#include "targets/gpu/gpu_expr.h"
#include "targets/gpu/gpu_fragment.h"
#include "targets/gpu/gpu_plan.h"
#include "targets/gpu/gpu_reduce.h"

#include <ctype.h>
#include <string.h>

struct emission { /* of the whole program */
    struct gpu_emitter em;
    struct gpu_program *program;
    struct text *out;
    int64_t tensor_of[512]; /* by buffer id: number of the tensor in global memory, from 1 */
    int turns;              /* loops with turns around */
};

/* ---- names ---- */

/* A name of a nest as a name of C: "i.0@j.0@" is i_0_j_0. */
static const char *identifier(struct arena *a, const char *name, const char *kind, int number)
{
    char *s = arena_printf(a, "%s%s_%s%d", isdigit((unsigned char)name[0]) ? "v" : "", name, kind, number), *to = s;
    for (const char *from = s; *from; from++)
        if (isalnum((unsigned char)*from))
            *to++ = *from;
        else if (to > s && to[-1] != '_')
            *to++ = '_';
    *to = 0;
    return s;
}

static void name_buffers(struct gpu_emitter *em)
{
    for (int i = 0; i < em->nest->nbuffers; i++) {
        const struct buffer *b = em->nest->buffers[i];
        struct gpu_storage *s = &em->storage[b->id];
        s->name = identifier(em->arena, b->name, "", b->id);
        s->elements = 1;
        for (int d = 0; d < b->ndim; d++)
            s->elements = sat_mul(s->elements, b->extent[d]);
    }
}

/* ---- reductions across threads ---- */

/* The guards of a leaf and the threads that store, as the condition of a line; nothing when there are none. */
static void condition(struct gpu_emitter *em, const struct stmt *guard, unsigned missing)
{
    struct text *out = gpu_line(em);
    size_t start;
    if (!guard && !missing)
        return;
    text_add(out, "if (");
    start = out->len;
    if (guard)
        gpu_expr_guards(em, guard, out);
    for (int axis = 0; axis < 3; axis++) {
        static const enum annotation AXES[] = {ANN_THREAD_X, ANN_THREAD_Y, ANN_THREAD_Z};
        if (missing >> AXES[axis] & 1)
            text_printf(out, "%s%s == 0", out->len > start ? " && " : "", em->dialect->thread[axis]);
    }
    text_add(out, ") ");
}

static void store_line(struct gpu_emitter *em, const struct stmt *guard, unsigned missing, const struct stmt *s)
{
    condition(em, guard, missing);
    gpu_expr_place(em, s->buffer, s->index, em->out);
    text_add(em->out, " = ");
    gpu_expr_text(em, s->value, em->out);
    text_add(em->out, ";\n");
}

static void across(struct emission *e, const struct gpu_node *n)
{
    struct gpu_emitter *em = &e->em;
    const struct stmt *s = gpu_leaf_store(n), *guard = n->s->kind == STMT_GUARD ? n->s : NULL;
    struct text value = {0};
    if (s != n->s && !(guard && guard->body[0] == s))
        gpu_fail(em, "a vector of reductions across threads");
    gpu_expr_place(em, s->value->buffer, s->value->index, &value);
    text_printf(gpu_line(em), "%s = ", text_str(&value));
    gpu_expr_place(em, s->across_threads, s->value->index, em->out);
    text_add(em->out, ";\n");
    gpu_reduce(em, s, text_str(&value), e->turns > 0 || n->vthreads);
    text_free(&value);
    unsigned first = em->extents[ANN_THREAD_X] > 1 && em->storage[s->buffer->id].space != GPU_PRIVATE;
    store_line(em, guard, n->missing | first << ANN_THREAD_X, s);
}

/* ---- leaves ---- */

static void open_guard(struct gpu_emitter *em, const struct stmt *s)
{
    text_add(gpu_line(em), "if (");
    gpu_expr_guards(em, s, em->out);
    text_add(em->out, ") {\n");
    em->indent++;
}

static void close_block(struct gpu_emitter *em)
{
    em->indent--;
    gpu_text_line(em, "}");
}

static bool guards_use(const struct gpu_emitter *em, const struct stmt *s, int atom)
{
    for (int i = 0; i < s->nguards; i++)
        if (affine_uses(em->nest->atoms, s->guards[i].form, atom))
            return true;
    return false;
}

static void simple(struct gpu_emitter *em, const struct gpu_node *n, const struct stmt *s);

static void lanes(struct gpu_emitter *em, const struct gpu_node *n, const struct stmt *s, const struct stmt *body)
{
    if (body->kind == STMT_GUARD && !guards_use(em, body, s->atom)) {
        open_guard(em, body);
        lanes(em, n, s, body->body[0]);
        close_block(em);
        return;
    }
    if (body->kind == STMT_STORE && !n->missing && gpu_expr_vector_store(em, body, s->atom, (int)s->extent))
        return;
    for (int64_t i = 0; i < s->extent; i++) {
        em->has[s->atom] = true;
        em->with[s->atom] = affine_const(i);
        simple(em, n, body);
    }
    em->has[s->atom] = false;
}

static void simple(struct gpu_emitter *em, const struct gpu_node *n, const struct stmt *s)
{
    if (s->kind == STMT_STORE) {
        store_line(em, NULL, n->missing, s);
    } else if (s->kind == STMT_LOOP) {
        lanes(em, n, s, s->body[0]);
    } else {
        open_guard(em, s);
        simple(em, n, s->body[0]);
        close_block(em);
    }
}

/* Once for each turn of the virtual threads from number v on that the statement differs by. */
static void each_vthread(struct emission *e, const struct gpu_node *n, const struct stmt *s, int v)
{
    struct gpu_emitter *em = &e->em;
    while (v < em->nvthreads && !(n->vthreads >> v & 1))
        v++;
    if (v == em->nvthreads) {
        if (gpu_leaf_store(n)->across_threads)
            across(e, n);
        else
            simple(em, n, s);
        return;
    }
    int atom = em->vthreads[v].atom;
    for (int64_t i = 0; i < em->vthreads[v].extent; i++) {
        em->has[atom] = true;
        em->with[atom] = affine_const(i);
        each_vthread(e, n, s, v + 1);
    }
    em->has[atom] = false;
}

static bool guards_by_vthread(const struct gpu_emitter *em, const struct stmt *s)
{
    for (int v = 0; v < em->nvthreads; v++)
        if (guards_use(em, s, em->vthreads[v].atom))
            return true;
    return false;
}

static void leaf(struct emission *e, const struct gpu_node *n)
{
    struct gpu_emitter *em = &e->em;
    if (gpu_fragment_is_block(em, n->s)) {
        gpu_fragment_block(em, n->s);
        return;
    }
    bool outside = n->s->kind == STMT_GUARD && !gpu_leaf_store(n)->across_threads && !guards_by_vthread(em, n->s);
    if (!outside) {
        each_vthread(e, n, n->s, 0);
        return;
    }
    open_guard(em, n->s);
    each_vthread(e, n, n->s->body[0], 0);
    close_block(em);
}

/* ---- statements ---- */

static void statement(struct emission *e, const struct gpu_node *n);

static void kids(struct emission *e, const struct gpu_node *n)
{
    for (int i = 0; i < n->nkids; i++)
        statement(e, n->kids[i]);
}

/* Whether a turn declares something in the block that the loop stands in. */
static bool declares(const struct gpu_emitter *em, const struct gpu_node *n)
{
    if (n->s->kind == STMT_ALLOC && em->storage[n->s->buffer->id].space == GPU_PRIVATE)
        return true;
    for (int i = 0; i < n->nkids; i++)
        if (declares(em, n->kids[i]))
            return true;
    return false;
}

static void unrolled(struct emission *e, const struct gpu_node *n)
{
    struct gpu_emitter *em = &e->em;
    bool braces = n->s->extent > 1 && declares(em, n);
    e->turns += n->s->extent > 1;
    for (int64_t i = 0; i < n->s->extent; i++) {
        em->has[n->s->atom] = true;
        em->with[n->s->atom] = affine_const(i);
        if (braces)
            gpu_text_line(em, "{");
        em->indent += braces;
        kids(e, n);
        em->indent -= braces;
        if (braces)
            gpu_text_line(em, "}");
    }
    em->has[n->s->atom] = false;
    e->turns -= n->s->extent > 1;
}

static void bound(struct emission *e, const struct gpu_node *n)
{
    struct gpu_emitter *em = &e->em;
    const struct dialect *d = em->dialect;
    const char *const names[ANN_COUNT] = {
        [ANN_BLOCK_X] = d->block[0],   [ANN_BLOCK_Y] = d->block[1],   [ANN_BLOCK_Z] = d->block[2],
        [ANN_THREAD_X] = d->thread[0], [ANN_THREAD_Y] = d->thread[1], [ANN_THREAD_Z] = d->thread[2]};
    em->names[n->s->atom] = names[n->s->loop]; /* NULL: a virtual thread */
    kids(e, n);
    em->names[n->s->atom] = NULL;
}

static void loop(struct emission *e, const struct gpu_node *n)
{
    struct gpu_emitter *em = &e->em;
    const struct stmt *s = n->s;
    if (annotation_is_bound(s->loop)) {
        bound(e, n);
        return;
    }
    if (n->unroll || s->extent == 1) {
        unrolled(e, n);
        return;
    }
    const char *name = em->names[s->atom] = identifier(em->arena, em->nest->atoms->at[s->atom].name, "v", s->atom);
    text_printf(gpu_line(em), "for (int %s = 0; %s < %lld; ++%s) {\n", name, name, (long long)s->extent, name);
    em->indent++;
    e->turns++;
    kids(e, n);
    e->turns--;
    close_block(em);
    em->names[s->atom] = NULL;
}

static void alloc(struct emission *e, const struct gpu_node *n)
{
    struct gpu_emitter *em = &e->em;
    struct gpu_storage *s = &em->storage[n->s->buffer->id];
    int64_t elements = s->elements;
    for (int v = 0; v < em->nvthreads; v++)
        elements = sat_mul(elements, s->copies >> v & 1 ? em->vthreads[v].extent : 1);
    if (gpu_fragment_is_tensor(em, n->s->buffer))
        gpu_fragment_declare(em, n->s->buffer);
    else if (s->space == GPU_PRIVATE)
        text_printf(gpu_line(em), "%s %s[%lld];\n", dialect_type(em->dialect, n->s->buffer->dtype), s->name,
                    (long long)elements);
    else if (!s->declared) /* an unrolled loop comes here again */
        gpu_declare_shared(em, n->s->buffer->dtype, s->name, elements);
    s->declared = true;
    kids(e, n);
}

static void statement(struct emission *e, const struct gpu_node *n)
{
    struct gpu_emitter *em = &e->em;
    if (em->failed)
        return;
    if (n->barrier)
        gpu_text_line(em, em->dialect->barrier);
    if (n->leaf) {
        leaf(e, n);
    } else if (n->s->kind == STMT_LOOP) {
        loop(e, n);
    } else if (n->s->kind == STMT_ALLOC) {
        alloc(e, n);
    } else if (n->s->kind == STMT_GUARD) {
        if (guards_by_vthread(em, n->s))
            gpu_fail(em, "virtual threads would take different branches");
        open_guard(em, n->s);
        kids(e, n);
        close_block(em);
    } else {
        kids(e, n);
    }
}

/* ---- kernels ---- */

static int64_t at_least_one(int64_t extent)
{
    return extent ? extent : 1;
}

static void head(struct emission *e, struct gpu_kernel *k)
{
    struct gpu_emitter *em = &e->em;
    const struct dialect *d = em->dialect;
    d->kernel(e->out, k->threads);
    text_printf(e->out, "kernel_%d(", e->program->nkernels);
    for (int i = 0; i < em->nest->nbuffers; i++) {
        const struct buffer *b = em->nest->buffers[i];
        const struct gpu_storage *s = &em->storage[b->id];
        if (!s->used || s->space != GPU_GLOBAL)
            continue;
        if (k->ntensors == GPU_KERNEL_TENSORS) {
            gpu_fail(em, "a kernel of more than %d tensors", GPU_KERNEL_TENSORS);
            return;
        }
        text_printf(e->out, "%s%s%s *%s %s", k->ntensors ? ", " : "", d->global, dialect_type(d, b->dtype),
                    d->restricted, s->name);
        k->tensors[k->ntensors++] = (int32_t)e->tensor_of[b->id] - 1;
    }
    text_add(e->out, ")\n{\n");
}

static void kernel(struct emission *e, const struct stmt *s)
{
    struct gpu_emitter *em = &e->em;
    struct text body = {0};
    if (e->program->nkernels == GPU_KERNELS) {
        gpu_fail(em, "a program of more than %d kernels", GPU_KERNELS);
        return;
    }
    for (int i = 0; i < em->nest->nbuffers; i++)
        em->storage[i].used = em->storage[i].declared = false;
    struct gpu_node *n = gpu_plan(em, s);
    text_clear(&em->shared);
    em->shared_bytes = em->reductions = e->turns = 0;
    em->out = &body;
    em->indent = 1;
    statement(e, n);
    struct gpu_kernel *k = &e->program->kernels[e->program->nkernels];
    *k = (struct gpu_kernel){.shared_bytes = em->shared_bytes};
    for (int axis = 0; axis < 3; axis++) {
        static const enum annotation BLOCKS[] = {ANN_BLOCK_X, ANN_BLOCK_Y, ANN_BLOCK_Z},
                                     THREADS[] = {ANN_THREAD_X, ANN_THREAD_Y, ANN_THREAD_Z};
        k->blocks[axis] = at_least_one(em->extents[BLOCKS[axis]]);
        k->threads[axis] = at_least_one(em->extents[THREADS[axis]]);
    }
    head(e, k);
    text_add(e->out, text_str(&em->shared));
    text_add(e->out, text_str(&body));
    text_add(e->out, "}\n");
    e->program->nkernels++;
    text_free(&body);
}

static void add_tensor(struct emission *e, const struct buffer *b)
{
    struct gpu_program *p = e->program;
    struct gpu_storage *s = &e->em.storage[b->id];
    if (p->ntensors == GPU_TENSORS || b->id >= 512) {
        gpu_fail(&e->em, "a program of more than %d tensors", GPU_TENSORS);
        return;
    }
    s->placed = true;
    s->space = GPU_GLOBAL;
    p->tensors[p->ntensors++] = (struct gpu_tensor){
        .bytes = sat_mul(s->elements, dtype_bytes(b->dtype)),
        .arg = b->role == BUFFER_ARG ? b->arg : -1,
    };
    e->tensor_of[b->id] = p->ntensors;
}

static void kernels(struct emission *e, const struct stmt *s)
{
    if (e->em.failed)
        return;
    if (s->kind == STMT_ALLOC)
        add_tensor(e, s->buffer);
    else if (s->kind != STMT_SEQ) {
        kernel(e, s);
        return;
    }
    for (int i = 0; i < s->nbody; i++)
        kernels(e, s->body[i]);
}

bool gpu_emit(struct arena *a, const struct nest *n, const struct dialect *d, struct gpu_program *p, struct text *out,
              struct err *err)
{
    n = cross_thread_nest(a, n);
    struct emission e = {.program = p, .out = out};
    e.em = (struct gpu_emitter){.arena = a, .nest = n, .dialect = d, .err = err, .natoms = n->atoms->n};
    e.em.storage = ARENA_ARRAY(a, struct gpu_storage, n->nbuffers + 1);
    e.em.names = ARENA_ARRAY(a, const char *, e.em.natoms + 1);
    e.em.with = ARENA_ARRAY(a, struct affine, e.em.natoms + 1);
    e.em.has = ARENA_ARRAY(a, bool, e.em.natoms + 1);
    *p = (struct gpu_program){0};
    name_buffers(&e.em);
    text_add(out, d->prologue);
    for (int i = 0, once = 0; i < n->nbuffers && !once; i++)
        if (n->buffers[i]->dtype == DTYPE_F16 && ++once)
            text_add(out, d->half_prologue);
    for (int i = 0; i < n->nbuffers; i++)
        e.em.fragments = e.em.fragments || gpu_fragment_is_tensor(&e.em, n->buffers[i]);
    if (e.em.fragments)
        text_add(out, d->fragments);
    for (int i = 0; i < n->nargs; i++)
        add_tensor(&e, n->buffers[i]);
    kernels(&e, n->root);
    text_free(&e.em.shared);
    return !e.em.failed;
}
