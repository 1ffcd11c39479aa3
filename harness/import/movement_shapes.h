/* SPDX-License-Identifier: Apache-2.0 */
/* movement_shapes: shapes of what ONNX's operators give that compute nothing: they move, choose or make elements. Where
 * the elements say a shape, their data follow too. Source: the ONNX operator reference, opsets 11 to 20. */
#pragma once
#include "harness/import/layer_shapes.h"

INFER(infer_reshape);
INFER(infer_flatten);
INFER(infer_squeeze);
INFER(infer_unsqueeze);
INFER(infer_transpose);
INFER(infer_concat);
INFER(infer_split);
INFER(infer_slice);
INFER(infer_gather);
INFER(infer_gather_nd);
INFER(infer_second); /* the shape of the second input */
INFER(infer_expand);
INFER(infer_tile);
INFER(infer_pad);
INFER(infer_resize);
INFER(infer_blocks); /* DepthToSpace, SpaceToDepth */
INFER(infer_top);
INFER(infer_shape);
INFER(infer_size);
INFER(infer_constant);
INFER(infer_filled); /* ConstantOfShape */
INFER(infer_range);
