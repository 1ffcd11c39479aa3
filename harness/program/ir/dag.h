/* SPDX-License-Identifier: Apache-2.0 */
/* dag: the graph of stages of one task (TVM: ComputeDAG) with the static analysis that the sketch rules query
 * (harness/doc/ansor.md, "Analysis of the graph").
 *
 * Ops stand in TVM's order: post-order from the output, reads left to right, placeholders where first met. An op's id
 * is stable for ever; its position changes when CHR, CHW, RF or RI insert stages. Immutable once built (dag_make.h). */
#pragma once
#include "harness/base/arena.h"
#include "harness/program/ir/op.h"

/* One read of a producer by a consumer: which tensor, with which indices. Several reads of one tensor are several
 * entries. */
struct access {
    int producer; /* position */
    const struct expr *load;
};
struct op_analysis {
    struct access *reads;
    int nreads;
    int *producers, *consumers; /* direct, positions, ascending, no repeats; inlining is not looked through here */
    int nproducers, nconsumers;
    bool is_output, is_strictly_inlineable, needs_tiling;
};

struct dag {
    int nops;
    const struct op *const *ops;        /* by position */
    const int *position;                /* by id; -1 when not in this dag */
    int nids;                           /* ids are 0..nids-1 */
    const struct op_analysis *analysis; /* by position */
    double flops;                       /* -1 when a node is unknown */
    struct dag_cache *cache;            /* rewritten dags, see dag_cache.h; thread-safe */
};
