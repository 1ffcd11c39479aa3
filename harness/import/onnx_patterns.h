/* SPDX-License-Identifier: Apache-2.0 */
/* onnx_patterns: nodes that together are one operator become that operator: GELU, SiLU and hard-swish, layer and RMS
 * normalisation, as exporters spell them for opsets that have no name for them. */
#pragma once
#include "harness/import/onnx_graph.h"

/* After onnx_infer. What only hands a value on (Identity, Dropout) is taken out of the way. Then counts uses. */
void onnx_rewrite(struct onnx_graph *g);
