/* SPDX-License-Identifier: Apache-2.0 */
/* dag: the graph of stages of one task (TVM: ComputeDAG), and the static analysis that the sketch rules query
 * (ansor.md 1.5).
 *
 * Ops stand in TVM's order: post-order from the output, reads left to right, placeholders where first met. An op's id
 * is stable for ever; its position changes when CHR, CHW or RF insert stages. Immutable once built. */
#pragma once
#include "harness/base/arena.h"
#include "harness/base/err.h"
#include "harness/base/text.h"
#include "harness/program/ir/expr.h"

struct axis {
    const char *name;
    int64_t extent; /* min is always 0 */
};
enum op_kind { OP_PLACEHOLDER, OP_COMPUTE };
enum reducer { REDUCE_NONE, REDUCE_SUM, REDUCE_MAX, REDUCE_MIN };

struct op {
    int id;
    enum op_kind kind;
    const char *name; /* as TVM names it: "conv2d_NCHWc", "data_pad", "p0"; need not be unique */
    const char *tag;  /* TVM's tag or "" ("injective", "broadcast", "elemwise", "conv2d_NCHWc") */
    enum dtype dtype;
    int nspatial, nreduce;
    const struct axis *axes; /* spatial (= the shape), then reduce; a placeholder has its shape as spatial axes */
    enum reducer reducer;    /* REDUCE_NONE iff nreduce == 0 */
    const struct expr *body; /* COMPUTE: the source of the reduction, or the value */
    const char *scope;       /* "" global, "shared", "local" */
    const int *rewritten;    /* ids of placeholders that layout rewrite may re-lay-out for this op (attribute
                                layout_free_placeholders) */
    int nrewritten;
    const char *const *const_axes; /* names under attribute auto_scheduler_simplify_const_tensor_indices */
    int nconst_axes;
    double flop_override; /* attribute FLOP, or < 0 */
};

/* One read of a producer by a consumer: which tensor, with which indices. Several reads of one tensor are several
 * entries. */
struct access {
    int producer; /* position */
    const struct expr *load;
};
struct op_facts {
    struct access *reads;
    int nreads;
    int *producers, *consumers; /* direct, positions, ascending, no repeats; inlining is not looked through here */
    int nproducers, nconsumers;
    bool is_output, is_strictly_inlineable, needs_tiling;
};

struct dag {
    struct arena *arena;
    int nops;
    const struct op *const *ops;  /* by position */
    const int *position;          /* by id; -1 when not in this dag */
    int nids;                     /* ids are 0..nids-1 */
    const struct op_facts *facts; /* by position */
    double flops;                 /* ansor.md 1.5; -1 when a node is unknown */
    struct dag_cache *cache;      /* rewritten dags, see dag_rewrite; thread-safe */
};

/* Builds the dag from its ops in order (positions = ids in a first dag): checks bodies (shapes, ids, duplicate axis
 * names), analyses. */
MUST_CHECK bool dag_make(struct arena *a, const struct op *const *ops, int nops, int nids, const struct dag **out,
                         struct err *err);
/* The same for a dag that steps derive from another one: it shares the cache (dag_cache.h) of its source. */
MUST_CHECK bool dag_make_kin(struct arena *a, struct dag_cache *cache, const struct op *const *ops, int nops, int nids,
                             const struct dag **out, struct err *err);
bool dag_element_wise_match(const struct dag *d, int from, int to); /* ansor.md 1.5 */
int dag_common_outer(const struct dag *d, int from, int to);        /* number of common outer iterators */
/* Simple access test of one load: every index one axis of op plus a constant, or a constant. */
bool dag_simple_access(const struct op *op, const struct expr *load, bool *axis_missing, bool *axis_duplicated,
                       bool *same_order);
double dag_flops(const struct dag *d, int position); /* of one op */
/* One op in TVM's notation, as in data/tvm_oracle/definitions.txt: "name(i, j) += (a[i, k]*b[k, j])" without newline.
 */
void dag_print_op(const struct dag *d, int position, struct text *out);
void dag_print(const struct dag *d, struct text *out); /* a line per op */
