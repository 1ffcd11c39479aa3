/* SPDX-License-Identifier: Apache-2.0 */
/* dialect: the words in which CUDA C and OpenCL C differ. gpu_emit writes everything else once. */
#pragma once
#include "harness/base/text.h"
#include "harness/program/ir/expr.h"

struct dialect {
    const char *name;     /* "cuda", "opencl" */
    const char *prologue; /* what stands before the first kernel */
    /* A function half_to_float of 16 bits, before the first kernel where a tensor is of float16: no header is needed.
     */
    const char *half_prologue;
    /* The words of a kernel before its name, for a block of so many threads along x, y and z. */
    void (*kernel)(struct text *out, const int64_t threads[3]);
    /* Functions on fragments (gpu_fragment.h), before the first kernel where a tensor is one; NULL: it has no tensor
     * cores, and blocks for them are loops. */
    const char *fragments;
    const char *global, *restricted; /* around the star of a pointer to global memory */
    const char *shared, *aligned;    /* before a tensor in shared memory, and what aligns an array to 16 bytes */
    const char *fragment_aligned;    /* the same, where fragments are loaded from it or stored to it */
    const char *barrier;             /* of the threads of a block, for shared memory */
    const char *block[3], *thread[3];
    const char *int64;
    void (*vector)(struct text *out, const char *type, int n); /* what opens a list of its elements, */
    const char *vector_end;                                    /* and what closes it */
    bool shuffles;         /* a warp of 32 threads can hand values over without memory (__shfl_down_sync) */
    bool space_of_pointer; /* a cast names the memory that is pointed to */
    /* Functions by kind of expression and width, 0: float, 1: double. */
    const char *function[EXPR_COUNT][2];
};

extern const struct dialect dialect_cuda, dialect_opencl;
/* "float", "double", "int", 64 bits as the dialect says, "signed char" for bool, "ushort" for float16,
 * which is handled as its bits. */
const char *dialect_type(const struct dialect *d, enum dtype t);
