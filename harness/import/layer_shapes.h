/* SPDX-License-Identifier: Apache-2.0 */
/* layer_shapes: shapes of what ONNX's arithmetic operators give: element-wise ones, convolutions, poolings, products,
 * reductions. Source: the ONNX operator reference, opsets 11 to 20. */
#pragma once
#include "harness/import/onnx_graph.h"

struct onnx_window {                                 /* one spatial axis of a convolution or pooling */
    int64_t kernel, stride, dilation, before, after; /* before, after: padding */
};
/* Windows of the spatial axes. A pooling that rounds up has stride - 1 more elements of padding at the end, as TVM has
 * it (topi/nn/pooling.h, ceil_mode). kernel: sizes that the attribute kernel_shape need not give, or NULL. */
MUST_CHECK bool onnx_windows(const struct onnx_node *n, const struct onnx_shape *in, const int64_t *kernel,
                             struct onnx_window *out, struct err *err);
/* Axes from the attribute or input 1, as 0 ... rank-1 in flags; none: all, or none where noop_with_empty_axes is set.
 */
MUST_CHECK bool onnx_reduced_axes(const struct onnx_graph *g, const struct onnx_node *n, bool reduced[ONNX_RANK],
                                  struct err *err);
/* axis may count from the end; 0 ... rank-1, or -1. */
int onnx_axis(int64_t axis, int rank);

#define INFER(name) bool name(struct onnx_graph *g, const struct onnx_node *n, struct err *err)
INFER(infer_same);     /* every output has the shape of the first input */
INFER(infer_elements); /* element by element; axes of 1 are repeated (NumPy's broadcasting) */
INFER(infer_cast);
INFER(infer_convolution);
INFER(infer_transposed_convolution);
INFER(infer_pool);
INFER(infer_global_pool);
INFER(infer_gemm);
INFER(infer_matmul);
INFER(infer_reduce);
