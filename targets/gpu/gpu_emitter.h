/* SPDX-License-Identifier: Apache-2.0 */
/* gpu_emitter: what the parts of the emitter know in common. Internal to targets/gpu. */
#pragma once
#include "harness/base/arena.h"
#include "harness/base/err.h"
#include "harness/base/text.h"
#include "harness/program/ir/nest.h"
#include "targets/gpu/dialect.h"

enum gpu_space { GPU_GLOBAL, GPU_SHARED, GPU_PRIVATE };
struct gpu_storage { /* of a buffer, by its id */
    enum gpu_space space;
    const char *name;
    int64_t elements; /* of one copy */
    unsigned copies;  /* set of the virtual threads that have a copy of their own */
    bool placed, used, declared;
};
enum { GPU_VTHREADS = 8 };
struct gpu_vthread {
    int atom;
    int64_t extent;
};

/* A statement of a kernel and what was decided on it. */
struct gpu_node {
    const struct stmt *s;
    struct gpu_node **kids;
    int nkids;
    bool leaf; /* a store, a vector loop of one, or either under a guard */
    bool unroll, barrier /* before it */;
    unsigned missing;  /* thread axes of the kernel that no loop around is bound to: of each, one thread stores */
    unsigned vthreads; /* LEAF: set of the virtual threads it differs by */
};

/* The store of a leaf. */
static inline const struct stmt *gpu_leaf_store(const struct gpu_node *n)
{
    const struct stmt *s = n->s;
    while (s->kind != STMT_STORE)
        s = s->body[0];
    return s;
}

struct gpu_emitter {
    struct arena *arena;
    const struct nest *nest;
    const struct dialect *dialect;
    bool fragments; /* some tensor is one of tensor cores */
    struct text *out;
    int indent;
    struct gpu_storage *storage;
    /* By atom, for the loops: name in the text, or the number that stands for it now. */
    const char **names;
    struct affine *with;
    bool *has;
    int natoms;
    /* Of the kernel. */
    struct gpu_vthread vthreads[GPU_VTHREADS];
    int nvthreads;
    int64_t extents[ANN_COUNT]; /* of bound loops; 0: none */
    struct text shared;         /* declarations of shared memory */
    int64_t shared_bytes;
    int reductions; /* across threads, so far */
    struct err *err;
    bool failed;
};

/* Notes the first failure. */
void gpu_fail(struct gpu_emitter *em, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* A new line of text; the caller ends it. */
struct text *gpu_line(struct gpu_emitter *em);
void gpu_text_line(struct gpu_emitter *em, const char *s);
/* Declares so many elements in the kernel's shared memory. */
void gpu_declare_shared(struct gpu_emitter *em, enum dtype t, const char *name, int64_t elements);
