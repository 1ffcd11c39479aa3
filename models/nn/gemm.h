/* SPDX-License-Identifier: Apache-2.0 */
/* gemm: single-precision matrix product, by OpenBLAS where it was found, else by plain C. On the caller's thread only:
 * who wants threads cuts the work into fixed parts, so that results do not depend on how many there are. */
#pragma once
#include <stdbool.h>

struct gemm {    /* C (m x n) = A (m x k) times B (k x n), all row by row */
    int m, n, k; /* 0 is fine */
    bool ta, tb; /* A is stored as k x m, B as n x k */
    bool add;    /* C is added to, else overwritten */
    const float *a, *b;
    float *c;
    int lda, ldb, ldc; /* floats from one stored row to the next */
};
void gemm(const struct gemm *g);
void gemm_plain(const struct gemm *g); /* the one in C, wherever it runs */
