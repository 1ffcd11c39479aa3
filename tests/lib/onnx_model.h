/* SPDX-License-Identifier: Apache-2.0 */
/* onnx_model: ONNX files made for tests, node by node, with protobuf-c's own writer. All is in `arena`. */
#pragma once
#include "onnx.pb-c.h"

#include <stddef.h>
#include <stdint.h>

struct onnx_model { /* the messages, to be changed at will before it is written */
    Onnx__Model model;
    Onnx__Graph graph;
    Onnx__OperatorSet opset;
};
struct onnx_model *onnx_model_new(int64_t opset);
/* Shapes are "1,3,224,224"; "" is a single number, and "N" an axis without a size that is called N. */
void onnx_model_input(struct onnx_model *m, const char *name, const char *shape);
void onnx_model_output(struct onnx_model *m, const char *name);
void onnx_model_declare(struct onnx_model *m, const char *name, const char *shape);         /* value_info */
Onnx__Tensor *onnx_model_weight(struct onnx_model *m, const char *name, const char *shape); /* without data */
/* Constants with data; shape NULL: one axis. */
void onnx_model_ints(struct onnx_model *m, const char *name, const char *values);
void onnx_model_float(struct onnx_model *m, const char *name, double v);
/* Inputs and outputs are "a,b,c", attributes "strides=2,2 group=1 alpha=0.5 mode=text". */
Onnx__Node *onnx_model_node(struct onnx_model *m, const char *op, const char *inputs, const char *outputs,
                            const char *attributes);
uint8_t *onnx_model_pack(const struct onnx_model *m, size_t *n);
const char *onnx_model_write(const struct onnx_model *m, const char *name); /* its path */
