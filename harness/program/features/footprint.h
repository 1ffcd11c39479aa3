/* SPDX-License-Identifier: Apache-2.0 */
/* footprint: what one store touches of each buffer, seen from each enclosing loop: bytes, cache lines, stride, reuse.
 */
#pragma once
#include "harness/program/ir/nest.h"

#define LEVELS 64 /* enclosing loops at most: loops of a form are a 64-bit mask */

/* What the stores walked so far inside one loop touched of one buffer; each store counts once per buffer. */
struct touch {
    int count;
    int64_t least, first; /* elements */
};
struct level { /* one enclosing loop, outermost first */
    int64_t extent;
    enum annotation kind;
    double bytes;        /* sum over all touches: elements * element size */
    int element_bytes;   /* sum over all touches: element size */
    struct touch *touch; /* by buffer id */
};
struct levels {
    const struct nest *nest;
    int depth;
    float product; /* of all extents, in float as TVM computes it */
    int *of_atom;  /* level at which an atom's loop is open, or -1 */
    int64_t line;  /* bytes of a cache line */
    struct level at[LEVELS];
};

enum touch_type { TOUCH_READ, TOUCH_WRITE, TOUCH_UPDATE };
enum reuse { REUSE_LOOP, REUSE_SERIAL, REUSE_NONE };
struct use { /* one access of a buffer: its indices; a list */
    const struct affine *index;
    const struct use *next;
};
struct footprint {
    const struct buffer *buffer;
    enum touch_type type;
    const struct use *uses;
    uint64_t loops;   /* levels that occur in its indices */
    uint64_t *dims;   /* likewise, of each dimension */
    int64_t *region;  /* elements per dimension with the loops opened so far at full range */
    int64_t elements; /* their product */
    float bytes, unique_bytes, lines, unique_lines;
    enum reuse reuse;
    float reuse_iterations, reuse_bytes, reuse_count, stride;
};
struct footprints {
    int n;
    struct footprint *at; /* in the order in which TVM's hash map lists them: last met first, the written buffer last */
    float *level_bytes;   /* by level, innermost first: bytes touched by one run of that loop */
};

/* Memory is taken from a. Books the touches in levels. */
struct footprints footprint_store(struct arena *a, struct levels *l, const struct stmt *store);
