/* SPDX-License-Identifier: Apache-2.0 */
/* loop: what the loops of schedules and of loop nests run over, and how their turns run (TVM: IteratorKind,
 * IteratorAnnotation). The order of the annotations is that of the codes in TVM's records. */
#pragma once
#include <stdbool.h>

enum iter_kind { ITER_SPATIAL, ITER_REDUCE, ITER_MIXED, ITER_SPECIAL };
#define ANNOTATIONS(X)                                                                                                 \
    X(NONE, "for")                                                                                                     \
    X(UNROLL, "unroll")                                                                                                \
    X(VECTORIZE, "vectorize")                                                                                          \
    X(PARALLEL, "parallel")                                                                                            \
    X(VTHREAD, "vthread")                                                                                              \
    X(BLOCK_X, "blockIdx.x")                                                                                           \
    X(THREAD_X, "threadIdx.x")                                                                                         \
    X(BLOCK_Y, "blockIdx.y")                                                                                           \
    X(THREAD_Y, "threadIdx.y")                                                                                         \
    X(BLOCK_Z, "blockIdx.z")                                                                                           \
    X(THREAD_Z, "threadIdx.z")                                                                                         \
    X(TENSORIZE, "tensorize")
enum annotation {
#define X(id, word) ANN_##id,
    ANNOTATIONS(X)
#undef X
        ANN_COUNT
};
static inline bool annotation_is_thread(enum annotation a)
{
    return a == ANN_THREAD_X || a == ANN_THREAD_Y || a == ANN_THREAD_Z;
}
static inline bool annotation_is_bound(enum annotation a) /* to blocks, threads or virtual threads */
{
    return a >= ANN_VTHREAD && a <= ANN_THREAD_Z;
}
enum { TENSOR_TILE = 16 }; /* rows, columns and sums of a block for tensor cores, which is marked `tensorize` */

const char *annotation_word(enum annotation a); /* "for", "parallel", "vthread" ... */
