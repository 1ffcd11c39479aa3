/* SPDX-License-Identifier: Apache-2.0 */
/* dtype: element types of tensors and values. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#define DTYPES(X)                                                                                                      \
    X(F32, "float32", 4)                                                                                               \
    X(F64, "float64", 8)                                                                                               \
    X(I32, "int32", 4)                                                                                                 \
    X(I64, "int64", 8)                                                                                                 \
    X(BOOL, "bool", 1)                                                                                                 \
    X(F16, "float16", 2) /* half.h */

enum dtype {
#define X(id, name, bytes) DTYPE_##id,
    DTYPES(X)
#undef X
        DTYPE_COUNT
};

const char *dtype_name(enum dtype t);
int dtype_bytes(enum dtype t);
static inline bool dtype_is_float(enum dtype t)
{
    return t == DTYPE_F32 || t == DTYPE_F64 || t == DTYPE_F16;
}
