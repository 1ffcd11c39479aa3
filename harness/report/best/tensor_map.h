/* SPDX-License-Identifier: Apache-2.0 */
/* tensor_map: where the elements of a tensor lie that a program takes. A plain tensor is NCHW, filters OIHW; a program
 * may take it in blocks of channels (NCHWc, OIHWio: `layout=nchwc` of a task), and weights in the order of its loops
 * (harness/program/lower/layout.h). Both are sums: the place in the plain tensor is linear in the indices of the taken
 * one. */
#pragma once
#include "harness/program/ir/nest.h"
#include "harness/program/ops/task.h"

enum { TENSOR_DIMS = 16 };
struct tensor_map {
    char name[64];                                    /* a name in C */
    const char *type;                                 /* of C: "float" */
    const char *dtype;                                /* "float32" */
    int ndim, nplain;                                 /* dimensions as taken, and of the plain tensor */
    int64_t extent[TENSOR_DIMS], stride[TENSOR_DIMS]; /* as taken; strides count elements of the plain tensor */
    int64_t plain[TENSOR_DIMS];
    int64_t elements, plain_elements;
    /* In part: a dimension that was split does not divide, and an index of it past `plain` is a hole that is 0. */
    int of[TENSOR_DIMS];       /* dimension of the plain tensor */
    int64_t step[TENSOR_DIMS]; /* stride within that dimension */
    bool same, holes;          /* taken as it is; it has holes */
    bool weight;
    const char *order; /* "NCHWc", "packed", ...: how it is taken, for people */
};
/* Argument i of a task that was lowered to n. */
void tensor_map_of(const struct task *t, const struct nest *n, int i, struct tensor_map *out);
/* The place in the plain tensor of an element of argument i of a nest without packed weights. */
struct affine tensor_map_offset(const struct tensor_map *m, struct atoms *p, const struct affine *index);
/* A word as a name of C: what may not stand in one is "_". */
void c_name(const char *word, char *out, size_t n);
