/* SPDX-License-Identifier: Apache-2.0 */
/* vec: the one function behind the macros. Capacity doubles, starting at 8. */
#include "harness/base/vec.h"

#include "harness/base/err.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

void *vec_grow(void *at, int *cap, int need, size_t size)
{
    if (need < 0 || *cap > INT_MAX / 2)
        bug("an array of more than %d elements", INT_MAX);
    int now = *cap ? *cap * 2 : 8;
    if (now < need)
        now = need;
    void *grown = reallocarray(at, (size_t)now, size);
    if (!grown) {
        fprintf(stderr, "raingauge: out of memory: array of %d elements of %zu bytes\n", now, size);
        _exit(EXIT_INTERNAL);
    }
    *cap = now;
    return grown;
}

void vec_release(void *at)
{
    void *block;
    memcpy(&block, at, sizeof block);
    free(block);
}
