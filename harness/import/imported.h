/* SPDX-License-Identifier: Apache-2.0 */
/* imported: a network made of an ONNX graph: its distinct kernels with call counts, what is in none of them, and the
 * file of it (experiments/networks). */
#pragma once
#include "harness/import/layer_kernels.h"
#include "harness/program/ops/task.h"

struct imported_kernel {
    const struct task *task;
    const char *words; /* as in the file: "op: conv2d, ci: 64, ..." */
    int count;
    double macs, params; /* of one call, from the shapes in the model */
};
struct imported_left {    /* nodes that no kernel holds */
    const char *op, *why; /* why NULL: it reduces nothing */
    int nodes;
    double flops, share; /* of all nodes together; of the network's */
};
struct imported {
    struct imported_kernel *kernels;
    struct imported_left *left; /* the largest share first */
    int nkernels, nleft, calls;
    double macs, params, params_left; /* of all calls */
    double macs_share, flops_share;   /* that the kernels hold */
};

/* False: the file is no ONNX that can be read, or no kernel is in it. All is in a. */
MUST_CHECK bool import_onnx(struct arena *a, const char *file, int64_t batch, enum onnx_layout layout,
                            struct onnx_graph **graph, struct imported *out, struct err *err);
void imported_yaml(const struct imported *n, const struct onnx_graph *g, const char *name, struct text *out);
/* A task line as an entry of such a file has it, in a: 'op: conv2d, ci: 64, ph: "0,1"'. */
const char *imported_words(struct arena *a, const char *spec);
/* What such a file begins with, after the licence: one that was written by hand does not. */
extern const char IMPORTED_HEAD[];
