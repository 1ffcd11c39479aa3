/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/program/ir/element.h"

#include "harness/program/ir/half.h"

double element_get(enum dtype t, const void *at, int64_t i)
{
    switch (t) {
    case DTYPE_F32:
        return (double)((const float *)at)[i];
    case DTYPE_F64:
        return ((const double *)at)[i];
    case DTYPE_I32:
        return (double)((const int32_t *)at)[i];
    case DTYPE_I64:
        return (double)((const int64_t *)at)[i];
    case DTYPE_F16:
        return half_value(((const uint16_t *)at)[i]);
    default:
        return (double)((const uint8_t *)at)[i];
    }
}

void element_put(enum dtype t, void *at, int64_t i, double v)
{
    if (t == DTYPE_F32)
        ((float *)at)[i] = (float)v;
    else if (t == DTYPE_F64)
        ((double *)at)[i] = v;
    else if (t == DTYPE_I32)
        ((int32_t *)at)[i] = (int32_t)v;
    else if (t == DTYPE_I64)
        ((int64_t *)at)[i] = (int64_t)v;
    else if (t == DTYPE_F16)
        ((uint16_t *)at)[i] = half_bits(v);
    else
        ((uint8_t *)at)[i] = v != 0;
}
