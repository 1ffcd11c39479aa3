/* SPDX-License-Identifier: Apache-2.0 */
/* nest: a lowered loop nest: loops with kinds, allocations, guards, stores. What interp runs, models featurise and
 * targets emit.
 *
 * Programs for GPUs. Each statement at the root that holds a bound loop (ANN_VTHREAD and above) is a kernel, and they
 * run one after the other; what is allocated above them lives in global memory.
 * - A loop that is bound to blockIdx or threadIdx has no turns of its own: its variable is the number of the block or
 *   thread. Several loops of a kernel may be bound to one axis: each gives the same number to its own variable. All
 *   thread loops of one axis have one extent in a program that gpu_verify takes. Extent 1 is an extent.
 * - A vthread loop is a loop whose turns may be interleaved; each turn has its own local storage.
 * - Storage: scope "shared" is of the block, "local" of the thread (and of the vthread around it). Stages without a
 *   scope of their own get "local" inside a loop of threads or virtual threads, "shared" inside blocks only, as in TVM.
 * - A loop marked `tensorize` is the outermost of a block for tensor cores, and its storage has a scope "wmma.*": a
 * warp computes the block together, and each thread holds a part of what is stored. Run loop by loop by every thread
 * for itself, with storage of its own, it gives the same result.
 * - The threads of a block need a barrier between writing a shared buffer and reading it, and between reading it and
 *   writing it again in the next turn of a loop around both. Nothing marks the places.
 * - A reduce loop bound to a thread axis is a reduction across threads: cross_thread.h makes the form to emit of it.
 * - auto_unroll is never on a bound loop: TVM drops such pragmas. */
#pragma once
#include "harness/base/arena.h"
#include "harness/base/err.h"
#include "harness/base/text.h"
#include "harness/program/ir/affine.h"
#include "harness/program/ir/loop.h"
#include "harness/program/ir/op.h"

struct dim_map { /* one dimension of a packed weight: floormod(floordiv(original index[dim], stride), extent) */
    int dim;
    int64_t stride, extent; /* the outermost part of a dim is not reduced modulo extent */
};
enum buffer_role { BUFFER_ARG, BUFFER_LOCAL }; /* LOCAL: allocated inside the kernel */
struct buffer {
    const char *name;
    int op;  /* position in the state's dag; -1 for a packed copy made by layout mode 1 */
    int arg; /* ARG: argument number of the task, else -1 */
    enum buffer_role role;
    enum dtype dtype;
    const char *scope; /* "" global (or stack), "shared", "local" */
    int ndim;
    const int64_t *shape; /* of the whole tensor; indices of loads and stores count in it */
    /* The part that exists: storage holds extent[d] elements from min[d]. Whole tensor: min 0, extent = shape. */
    const struct affine *min;
    const int64_t *extent;
    /* Layout rewrite: when npacked > 0, shape is already the packed one and packed says how to get
     * there. */
    int npacked;
    const struct dim_map *packed;
    const int64_t *original; /* original shape (ndim of the op) */
    int id;                  /* index in nest->buffers */
};

/* Scalar values: as struct expr, but indices and integer arithmetic are affine forms over the nest's atoms. */
struct value {
    enum expr_kind kind; /* INDEX: affine; LOAD: buffer, index; no AXIS */
    enum dtype dtype;
    int nargs;
    union {
        int64_t i;
        double f;
        const struct buffer *buffer; /* LOAD */
    };
    const struct affine *index; /* LOAD: buffer->ndim forms. INDEX: one form */
    const struct value *const *args;
};

enum stmt_kind { STMT_LOOP, STMT_SEQ, STMT_STORE, STMT_GUARD, STMT_ALLOC };
struct guard { /* lo <= form < hi must hold; INT64_MIN / INT64_MAX: that side is proven */
    struct affine form;
    int64_t lo, hi;
};
struct stmt {
    enum stmt_kind kind;
    /* LOOP. One of extent 1 is there only to carry a pragma (auto_unroll >= 0), or bound. */
    int atom;
    int64_t extent;
    enum annotation loop; /* NONE = serial, UNROLL, VECTORIZE, PARALLEL, threads ... */
    enum iter_kind iter_kind;
    int64_t auto_unroll; /* pragma on this loop: limit for the subtree, or -1 */
    /* STORE: buffer[index] = value; is_update: value combines buffer[index] with the source of a reduction */
    const struct buffer *buffer;
    const struct affine *index;
    const struct value *value;
    bool is_init, is_update;
    /* STORE of a nest that cross_thread.h made: the buffer whose element 0 is first combined over the threads. */
    const struct buffer *across_threads;
    enum reducer reducer; /* of the stage when is_init or is_update */
    /* GUARD */
    const struct guard *guards;
    int nguards;
    /* children: LOOP, GUARD, ALLOC one; SEQ several */
    struct stmt *const *body;
    int nbody;
};

struct nest {
    struct arena *arena;
    struct atoms *atoms;
    struct stmt *root;
    const struct buffer *const *buffers; /* every buffer, args first in argument order */
    int nbuffers, nargs;
    int64_t local_bytes; /* sum of the BUFFER_LOCAL allocations */
};

/* Number of the element at index, of those that exist of b, row by row. */
struct affine buffer_offset(struct atoms *p, const struct buffer *b, const struct affine *index);
int value_loads(const struct value *v); /* loads in it, without those inside of a load */
void nest_print(const struct nest *n, struct text *out);
/* Invariants: every atom used is bound by an enclosing loop, indices in range where provable, kinds legal, allocations
 * enclose their uses, no parallel loop inside a vector loop ... False is a bug of lower, with the place. */
MUST_CHECK bool nest_check(const struct nest *n, struct err *err);
