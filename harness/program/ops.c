/* SPDX-License-Identifier: Apache-2.0 */
/* ops: the table of operators. A new one is an op_*.c and two lines here. */
#include "harness/program/ops.h"

#include <stddef.h>

extern const struct operator operator_conv2d, operator_dense, operator_matmul;

static const struct operator* const TABLE[] = {
    &operator_conv2d,
    &operator_dense,
    &operator_matmul,
    NULL,
};

const struct operator* const * ops_table(void)
{
    return TABLE;
}
