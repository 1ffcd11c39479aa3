/* SPDX-License-Identifier: Apache-2.0 */
/* gemm: OpenBLAS is set once to stay on one thread. In plain C the order of the loops keeps the inner one on
 * contiguous memory of C, so that compilers make vectors of it; only a transposed B without that is a dot product. */
#include "models/nn/gemm.h"

#include <string.h>
#ifdef HAVE_OPENBLAS
#include <cblas.h>
#include <pthread.h>
#endif

static void row_of_dots(const struct gemm *g, int i, float *c)
{
    for (int j = 0; j < g->n; j++) {
        const float *b = g->b + (size_t)j * g->ldb;
        float part[8] = {0}, sum = 0;
        int l = 0;
        for (; l + 8 <= g->k; l += 8)
            for (int p = 0; p < 8; p++)
                part[p] += g->a[g->ta ? (size_t)(l + p) * g->lda + i : (size_t)i * g->lda + l + p] * b[l + p];
        for (; l < g->k; l++)
            sum += g->a[g->ta ? (size_t)l * g->lda + i : (size_t)i * g->lda + l] * b[l];
        for (int p = 0; p < 8; p++)
            sum += part[p];
        c[j] += sum;
    }
}

static void row_of_sums(const struct gemm *g, int i, float *restrict c)
{
    for (int l = 0; l < g->k; l++) {
        float x = g->a[g->ta ? (size_t)l * g->lda + i : (size_t)i * g->lda + l];
        const float *restrict b = g->b + (size_t)l * g->ldb;
        for (int j = 0; j < g->n; j++)
            c[j] += x * b[j];
    }
}

void gemm_plain(const struct gemm *g)
{
    for (int i = 0; i < g->m; i++) {
        float *c = g->c + (size_t)i * g->ldc;
        if (!g->add)
            memset(c, 0, sizeof *c * (size_t)g->n);
        if (g->tb)
            row_of_dots(g, i, c);
        else
            row_of_sums(g, i, c);
    }
}

#ifdef HAVE_OPENBLAS
static void one_thread(void)
{
    openblas_set_num_threads(1);
}

void gemm(const struct gemm *g)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, one_thread);
    if (g->m == 0 || g->n == 0)
        return;
    cblas_sgemm(CblasRowMajor, g->ta ? CblasTrans : CblasNoTrans, g->tb ? CblasTrans : CblasNoTrans, g->m, g->n, g->k,
                1, g->a, g->lda, g->b, g->ldb, g->add ? 1 : 0, g->c, g->ldc);
}
#else
void gemm(const struct gemm *g)
{
    gemm_plain(g);
}
#endif
