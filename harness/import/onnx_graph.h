/* SPDX-License-Identifier: Apache-2.0 */
/* onnx_graph: an ONNX model as values and nodes. A value is what an edge carries: an input, a constant, or the output
 * of a node. Of constants only the small ones are kept, those that may say a shape; of the others the shape alone. */
#pragma once
#include "harness/base/err.h"
#include "harness/base/text.h"
#include "harness/base/vec.h"
#include "onnx.pb-c.h"

enum {
    ONNX_RANK = 8,     /* most axes of a tensor */
    ONNX_KNOWN = 4096, /* most elements of a tensor whose data are kept */
    ONNX_FIRST_OPSET = 11,
    ONNX_LAST_OPSET = 20
};
#define ONNX_ELEMENTS ((int64_t)1 << 48) /* most elements of a tensor */
enum onnx_type {
    ONNX_FLOAT = 1,
    ONNX_INT32 = 6,
    ONNX_INT64 = 7,
    ONNX_BOOL = 9,
    ONNX_FLOAT16,
    ONNX_DOUBLE,
    ONNX_BFLOAT16 = 16
};

struct onnx_shape {
    int rank; /* -1: not known */
    int64_t dims[ONNX_RANK];
};
struct onnx_value {
    const char *name;
    struct onnx_shape shape;
    struct onnx_shape declared; /* by the model, for a value between nodes */
    int type;                   /* enum onnx_type, or another number of the format */
    const double *data;         /* its elements where they are known, else NULL */
    bool constant;              /* follows from constants alone */
    bool initializer;
    int maker; /* index of the node, -1: none */
    bool is_output;
    int uses; /* by live nodes (onnx_count_uses), and one more if it is an output of the graph */
};

struct onnx_graph;
struct onnx_node;
struct onnx_kernel;
/* One row of the table of operators (onnx_operators.c). */
struct onnx_operator {
    const char *name;
    int least; /* inputs that it cannot do without */
    /* Sets the shapes of the outputs, and their data where those follow. */
    bool (*infer)(struct onnx_graph *g, const struct onnx_node *n, struct err *err);
    double (*eval)(double a, double b); /* one element, of constants */
    /* FLOPs for each element of the output, or of the input where that is larger; a product has its own. */
    double flops;
    /* The kernel that it is. False: it is none, as k->why says. NULL: it reduces nothing. */
    bool (*kernel)(const struct onnx_graph *g, const struct onnx_node *n, struct onnx_kernel *k);
    bool product; /* a convolution or product of matrices: the second input may be weights */
};

struct onnx_tail { /* what is fused behind a product */
    bool bias, add, residual_first;
    const char *act; /* "relu", "clip", or a value of the key 'act'; NULL: none */
};
struct onnx_node {
    const char *name, *op;
    const Onnx__Node *proto;         /* attributes */
    const struct onnx_operator *row; /* NULL: unknown */
    int nin, nout;
    int *in, *out;         /* of values; -1: left out */
    bool live;             /* an output of the graph hangs on it, and not by constants alone */
    bool fused;            /* part of the kernel of another node */
    struct onnx_tail tail; /* of a product */
};

struct onnx_graph {
    struct arena *arena;
    const char *file, *name, *producer;
    int64_t opset, batch; /* batch 0: not given */
    const Onnx__Model *model;
    struct onnx_value *values;
    struct onnx_node *nodes;
    int nvalues, nnodes;
    int first_input; /* value, -1: none */
};

/* Reads FILE. batch: the size of a first axis of inputs that has none, 0: not given. Refused, with file and node: what
 * is no ONNX, another opset, an axis without a size, a value that nothing makes or two nodes make, nodes out of order.
 */
MUST_CHECK bool onnx_read(struct arena *a, const char *file, int64_t batch, struct onnx_graph **out, struct err *err);

static inline struct onnx_value *onnx_in(const struct onnx_graph *g, const struct onnx_node *n, int i)
{
    return i < n->nin && n->in[i] >= 0 ? &g->values[n->in[i]] : NULL;
}
static inline struct onnx_value *onnx_out(const struct onnx_graph *g, const struct onnx_node *n, int i)
{
    return i < n->nout && n->out[i] >= 0 ? &g->values[n->out[i]] : NULL;
}

/* Attributes of a node. */
const Onnx__Attribute *onnx_attribute(const struct onnx_node *n, const char *name); /* NULL: not given */
int64_t onnx_int(const struct onnx_node *n, const char *name, int64_t fallback);
bool onnx_is(const struct onnx_node *n, const char *name, const char *text, const char *fallback);
/* A HardSigmoid of PyTorch's slope and shift, 1/6 and 1/2; ONNX's own slope is 0.2. */
bool onnx_is_hard_sigmoid(const struct onnx_node *n);
/* A list of whole numbers: of the attribute, or where that is not given the data of input `input` (-1: there is none).
 * *n = -1: neither is given. False: more than ONNX_RANK, or data that are not known. */
MUST_CHECK bool onnx_list(const struct onnx_graph *g, const struct onnx_node *node, const char *name, int input,
                          int64_t list[ONNX_RANK], int *n, struct err *err);
/* The shape, type and data of a constant tensor. */
MUST_CHECK bool onnx_constant(struct onnx_graph *g, const Onnx__Tensor *t, struct onnx_value *v, struct err *err);

/* Within +-2^62; what is no number is the least. */
static inline int64_t onnx_whole(double v)
{
    return v >= 0x1p62 ? (int64_t)1 << 62 : v > -0x1p62 ? (int64_t)v : -((int64_t)1 << 62);
}
int64_t onnx_elements(const struct onnx_shape *s);
/* False: an axis below 0, or more than ONNX_ELEMENTS in all. */
MUST_CHECK bool onnx_shape_check(const struct onnx_shape *s, struct err *err);
