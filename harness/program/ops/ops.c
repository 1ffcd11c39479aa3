/* SPDX-License-Identifier: Apache-2.0 */
/* ops: the table of operators. A new one is an op_*.c and two lines here. */
#include "harness/program/ops/ops.h"

#include <stddef.h>

extern const struct operator operator_conv2d, operator_winograd, operator_depthwise_conv2d, operator_dense,
    operator_matmul, operator_batch_matmul, operator_pool2d, operator_adaptive_pool2d, operator_global_pool2d,
    operator_mean, operator_softmax, operator_layer_norm, operator_rms_norm, operator_reduce, operator_map,
    operator_conv2d_transpose, operator_conv3d, operator_resize2d, operator_im2col;

static const struct operator* const TABLE[] = {
    &operator_conv2d,
    &operator_winograd,
    &operator_im2col,
    &operator_depthwise_conv2d,
    &operator_conv2d_transpose,
    &operator_conv3d,
    &operator_dense,
    &operator_matmul,
    &operator_batch_matmul,
    &operator_pool2d,
    &operator_adaptive_pool2d,
    &operator_global_pool2d,
    &operator_mean,
    &operator_softmax,
    &operator_layer_norm,
    &operator_rms_norm,
    &operator_resize2d,
    &operator_reduce,
    &operator_map,
    NULL,
};

const struct operator* const * ops_table(void)
{
    return TABLE;
}
