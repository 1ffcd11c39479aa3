/* SPDX-License-Identifier: Apache-2.0 */
/* cublas: a double of cuBLAS (libcublas.so.13) for tests: the functions that target cuda-libraries calls, in the
 * library's own layout, on the host. */
#include <stdint.h>

#define API __attribute__((visibility("default")))
API int cublasCreate_v2(void **handle)
{
    *handle = (void *)"blas";
    return 0;
}
API int cublasDestroy_v2(void *handle)
{
    return handle == 0;
}
API int cublasGetVersion_v2(void *handle, int *version)
{
    *version = 130000;
    return handle == 0;
}
API int cublasSgemm_v2(void *handle, int op_a, int op_b, int m, int n, int k, const float *alpha, uint64_t a, int lda,
                       uint64_t b, int ldb, const float *beta, uint64_t c, int ldc)
{
    const float *x = (const float *)(uintptr_t)a, *y = (const float *)(uintptr_t)b;
    float *z = (float *)(uintptr_t)c;
    if (!handle || op_a || op_b || lda < m || ldb < k || ldc < m || *beta != 0)
        return 7;
    for (int j = 0; j < n; j++)
        for (int i = 0; i < m; i++) {
            float sum = 0;
            for (int l = 0; l < k; l++)
                sum += x[i + l * lda] * y[l + j * ldb];
            z[i + j * ldc] = *alpha * sum;
        }
    return 0;
}
