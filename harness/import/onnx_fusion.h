/* SPDX-License-Identifier: Apache-2.0 */
/* onnx_fusion: what is fused behind a convolution or product with weights, as TVM does it: bias, residual addition, one
 * activation, each if it is there, in this order. A batch normalisation is folded: its scale goes into the weights, its
 * shift becomes the bias. */
#pragma once
#include "harness/import/onnx_graph.h"

/* After onnx_rewrite. Sets `tail` of products and `fused` of what has gone into one.
 *
 * Source: TVM's FuseOps (src/relay/transforms/fuse_ops.cc): behind an operator that can be fused at its output come
 * element-wise ones of the same shape, as long as nothing else reads what is between. Of two products that meet in an
 * addition the first operand's takes it, and reads the other as its residual. */
void onnx_fuse(struct onnx_graph *g);
