/* SPDX-License-Identifier: Apache-2.0 */
/* traced_tree: loops and blocks of a program of TVM's TIR as a tree, and what its schedule primitives do to it. Only
 * what traces on CPUs need: every part of a loop tiles it exactly, or its last turn is guarded. */
#pragma once
#include "harness/base/arena.h"
#include "harness/base/err.h"
#include "harness/base/text.h"
#include "harness/program/ir/dag.h"
#include "harness/program/ir/loop.h"

enum { TREE_MOST = 2048, TREE_DEPTH = 64, LOOP_AXES = 16 };

struct traced_axes { /* of its op, outermost first; parts of one turn do not count */
    int n, at[LOOP_AXES];
};

struct traced_loop {
    int64_t extent, unroll; /* unroll: the pragma's limit; 0: none */
    enum annotation annotation;
    enum iter_kind kind;
    int axis; /* of the op whose block it came with; -1: of several */
    struct traced_axes axes;
    int node;
};
struct traced_block {
    int op;       /* position in the dag */
    bool cached;  /* it computes into a cache, which a copy reads */
    bool copy;    /* that copy */
    bool init;    /* it sets sums to their first value */
    bool started; /* a reduction: an init block does that */
    bool gone;    /* inlined */
    int node;
};
struct traced_node {
    int parent, first, next; /* -1: none */
    int loop, block;         /* one of them, the other -1; of the root both */
};
struct traced_tree {
    const struct dag *dag;
    struct traced_node *nodes; /* 0: the root */
    struct traced_loop *loops;
    struct traced_block *blocks;
    int nnodes, nloops, nblocks;
};

/* A block for each op of the dag that computes, in loops of its own; block i is the i-th of them. */
void traced_tree_open(struct arena *a, const struct dag *d, struct traced_tree *out);
/* The loops around a node, itself included, from the outermost on. Returns their number. */
int traced_tree_path(const struct traced_tree *t, int node, int loops[TREE_DEPTH]);
/* The block under a node that is met first; -1: none. */
int traced_tree_block(const struct traced_tree *t, int node);

/* All of these refuse with a reason what the tree cannot be made to have. */
MUST_CHECK bool traced_tree_split(struct traced_tree *t, int loop, const int64_t *lengths, int n, int *out,
                                  struct err *err);
MUST_CHECK bool traced_tree_fuse(struct traced_tree *t, const int *loops, int n, int *out, struct err *err);
MUST_CHECK bool traced_tree_reorder(struct traced_tree *t, const int *loops, int n, struct err *err);
/* The copy of what a block computes, at the end of the program's part with the block. */
MUST_CHECK bool traced_tree_cache(struct traced_tree *t, int block, int *copy, struct err *err);
/* Takes a block out, with the loops that hold nothing else. */
void traced_tree_take(struct traced_tree *t, int block);
/* Puts a block that was taken out into a loop, at its end or before the child that holds block `before` (-1), with a
 * loop of its own for each axis of its op. */
MUST_CHECK bool traced_tree_put(struct traced_tree *t, int block, int loop, int before, const int64_t *extents,
                                struct err *err);
/* Sets sums to their first value in front of a loop around the block. */
MUST_CHECK bool traced_tree_decompose(struct traced_tree *t, int block, int loop, struct err *err);
/* A line a loop and a block, a blank deeper at each level; loops of one turn without a pragma are left out. */
void traced_tree_print(const struct traced_tree *t, struct text *out);
/* Those lines. */
void traced_print_loop(int depth, const struct traced_loop *loop, struct text *out);
void traced_print_block(int depth, const char *name, bool local, bool init, struct text *out);
