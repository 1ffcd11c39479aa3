/* SPDX-License-Identifier: Apache-2.0 */
/* layer_kernels: the kernel that a node of an ONNX graph is: an operator of raingauge with its keys
 * (harness/program/ops). What is fused behind a product is added to it by the caller. */
#pragma once
#include "harness/import/layer_shapes.h"

enum onnx_layout { ONNX_NCHW, ONNX_NHWC, ONNX_BLOCKED };

struct onnx_kernel {
    enum onnx_layout layout;
    struct text spec;    /* "conv2d ci=64 ..."; keys at their default are left out */
    double macs, params; /* of one call, from the shapes in the model; params without what is fused */
    const char *why;     /* where it is no kernel: the reason, else NULL */
};

#define KERNEL(name) bool name(const struct onnx_graph *g, const struct onnx_node *n, struct onnx_kernel *k)
KERNEL(kernel_convolution);
KERNEL(kernel_transposed_convolution);
KERNEL(kernel_product); /* Gemm, MatMul */
KERNEL(kernel_pool);
KERNEL(kernel_global_pool);
KERNEL(kernel_softmax);
KERNEL(kernel_layer_norm); /* LayerNormalization, and RMSNormalization of later opsets */
KERNEL(kernel_reduce);
/* Multiply-adds of a product, whether or not it is a kernel. */
double kernel_multiply_adds(const struct onnx_graph *g, const struct onnx_node *n);
