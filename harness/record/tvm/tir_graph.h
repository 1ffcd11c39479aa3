/* SPDX-License-Identifier: Apache-2.0 */
/* tir_graph: the JSON in which TVM saves objects (tvm::SaveJSON): a list of nodes that name each other by number. And
 * expressions of TIR in it as ours. */
#pragma once
#include "harness/base/json.h"
#include "harness/program/ir/expr.h"

struct tir_graph {
    cJSON *json;
    const cJSON **nodes;
    int n, root;
};
/* Its memory is given back with a. */
MUST_CHECK bool tir_graph_read(struct arena *a, const char *text, size_t n, struct tir_graph *out, struct err *err);

/* What a node is ("tir.Add"), "" when there is no such node. */
const char *tir_kind(const struct tir_graph *g, int node);
/* The node that an attribute names, -1: none. */
int tir_attribute(const struct tir_graph *g, int node, const char *name);
/* Text of an attribute ("float32"), or the string that it names; "" when there is none. */
const char *tir_text(const struct tir_graph *g, int node, const char *name);
/* Element i of a list, or of the keys and values of a map in turn; -1: there is none. */
int tir_item(const struct tir_graph *g, int node, int i);
int tir_count(const struct tir_graph *g, int node);
/* The value of an integer constant. */
bool tir_integer(const struct tir_graph *g, int node, int64_t *out);

struct tir_names {                  /* what expressions may name */
    const int *variables, *buffers; /* nodes: variable i is axis i, buffer i the tensor i */
    int nvariables, nbuffers;
};
/* In a; loads are of the tensor's number. False: something that we have not. */
MUST_CHECK bool tir_expression(struct arena *a, const struct tir_graph *g, int node, const struct tir_names *names,
                               const struct expr **out, struct err *err);
/* What an expression gives at a point; tensors hold numbers made of their number and the indices. tensor: by the
 * number in a load, its number among the tensors; NULL: the same. */
double tir_value(const struct expr *e, const int64_t *axes, const int *tensor);
