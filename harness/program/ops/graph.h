/* SPDX-License-Identifier: Apache-2.0 */
/* graph: a dag under construction. Operator definitions add placeholders in the order of the fused function's arguments
 * and stages in any order that puts producers first; graph_finish sorts them as TVM does. */
#pragma once
#include "harness/base/arena.h"
#include "harness/base/err.h"
#include "harness/program/ir/dag.h"
#include "harness/program/ir/fold.h"

enum { GRAPH_OPS = 32, GRAPH_DIMS = 8 };

struct graph {
    struct arena *arena;
    const struct op *ops[GRAPH_OPS]; /* an op's id is its index here until graph_finish */
    int nops;
    enum dtype inputs;   /* element type of the placeholders to come; F32 at first */
    int args[GRAPH_OPS]; /* ids of the placeholders, in argument order */
    bool is_weight[GRAPH_OPS];
    int nargs;
    double params;
    const char *name; /* of the task, for people */
};

/* Placeholders. name NULL: "p0", "p1", ... in order. graph_weight counts the elements as trained parameters. */
const struct op *graph_input(struct graph *g, const char *name, int ndim, const int64_t *shape);
const struct op *graph_weight(struct graph *g, const char *name, int ndim, const int64_t *shape);
/* Adds a stage: name, tag, axes, nspatial, nreduce, reducer and body are read from op (axes are copied). F32; the body
 * must be, too (graph_float). Only what moves float16 inputs, such as a padding, is F16, as its body. */
const struct op *graph_stage(struct graph *g, struct op op);
/* A stage without a reduction; tag may be NULL. */
const struct op *graph_map(struct graph *g, const char *name, const char *tag, const struct axis *axes, int naxes,
                           const struct expr *body);
/* The stage op without body: the sum of x * y as F32, two loads, over the nreduce last axes. With op.nrewritten = 1 the
 * tensor of y is a filter that may be re-laid-out. */
const struct op *graph_product(struct graph *g, struct op op, const struct expr *x, const struct expr *y);
/* Axes "i0", "i1", ... with op's shape. At most GRAPH_DIMS are written. */
void graph_axes(struct graph *g, const struct op *like, const char *prefix, struct axis *axes);
void graph_index(struct graph *g, const struct expr **index, int n); /* index[i] = axis i */
const struct expr *graph_load(struct graph *g, const struct op *op, const struct expr *const *index);
/* The value as F32. */
const struct expr *graph_float(struct graph *g, const struct expr *e);
/* The types of inputs that an operator's key may choose, in the order of graph_input_type. */
extern const char *const GRAPH_INPUTS[];
enum dtype graph_input_type(int choice);
#define graph_read(g, op, ...) graph_load((g), (op), (const struct expr *[]){__VA_ARGS__})

/* Makes the dag; rewrites g->args to its ids. */
MUST_CHECK bool graph_finish(struct graph *g, const struct dag **out, struct err *err);
