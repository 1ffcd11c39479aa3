/* SPDX-License-Identifier: Apache-2.0 */
/* onnx_operators: the table of ONNX's operators, and what it gives: the shape of every value of a graph. */
#pragma once
#include "harness/import/onnx_graph.h"

const struct onnx_operator *onnx_operator_find(const char *name); /* NULL: not in the table */
/* Shapes of all values, and the data of those that shapes are computed with. An operator that is not in the table is
 * let pass where the model says the shape of what it gives. Errors name the node. */
MUST_CHECK bool onnx_infer(struct onnx_graph *g, struct err *err);
