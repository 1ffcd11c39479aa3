/* SPDX-License-Identifier: Apache-2.0 */
/* dtype: names and sizes of element types. */
#include "harness/program/ir/dtype.h"

static const struct {
    const char *name;
    int bytes;
} TYPES[DTYPE_COUNT] = {
#define X(id, text, size) [DTYPE_##id] = {text, size},
    DTYPES(X)
#undef X
};

const char *dtype_name(enum dtype t)
{
    return TYPES[t].name;
}

int dtype_bytes(enum dtype t)
{
    return TYPES[t].bytes;
}
