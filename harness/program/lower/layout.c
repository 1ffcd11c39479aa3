/* SPDX-License-Identifier: Apache-2.0 */
/* layout: fills a packed weight. Every packed coordinate names one original element: its index in dimension d is the
 * sum of coordinate * stride over the parts of d (struct dim_map). The last packed dimension is the inner loop. */
#include "harness/program/lower/layout.h"

#include <string.h>

int64_t layout_elements(const struct buffer *b)
{
    int64_t n = 1;
    for (int d = 0; d < b->ndim; d++)
        n *= b->extent[d];
    return n;
}

static int original_dims(const struct buffer *b)
{
    int n = 0;
    for (int i = 0; i < b->npacked; i++)
        n = b->packed[i].dim >= n ? b->packed[i].dim + 1 : n;
    return n;
}

/* Moves the packed coordinate on by one, carrying; index follows. */
static void step_on(const struct buffer *b, int64_t *at, int64_t *index)
{
    for (int i = b->npacked - 1; i >= 0; i--) {
        const struct dim_map *m = &b->packed[i];
        index[m->dim] += m->stride;
        if (++at[i] < b->extent[i])
            return;
        index[m->dim] -= m->stride * at[i];
        at[i] = 0;
    }
}

void layout_pack(const struct buffer *b, const void *from, void *to)
{
    size_t size = (size_t)dtype_bytes(b->dtype);
    int64_t n = layout_elements(b), at[DIMS_MAX] = {0}, index[DIMS_MAX] = {0};
    if (b->npacked == 0) {
        memcpy(to, from, size * (size_t)n);
        return;
    }
    int ndim = original_dims(b);
    if (b->npacked > DIMS_MAX || ndim > DIMS_MAX)
        bug("a packed weight of %d dimensions", b->npacked);
    for (int64_t i = 0; i < n; i++, step_on(b, at, index)) {
        int64_t element = 0;
        bool inside = true;
        for (int d = 0; d < ndim; d++) {
            element = element * b->original[d] + index[d];
            inside = inside && index[d] < b->original[d];
        }
        if (inside)
            memcpy((char *)to + (size_t)i * size, (const char *)from + (size_t)element * size, size);
        else
            memset((char *)to + (size_t)i * size, 0, size);
    }
}
