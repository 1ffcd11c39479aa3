/* SPDX-License-Identifier: Apache-2.0 */
/* attention: the weights (rows x rows a head) are computed again on the way back instead of being kept. */
#include "models/nn/attention.h"

#include "models/nn/gemm.h"

#include <math.h>

int attention_memory(int rows)
{
    return 2 * rows * rows;
}

/* Weights of head h: each row sums to 1. */
static void weights(const struct attention *t, int h, float *w)
{
    int d = t->width / t->heads, n = t->rows, wide = 3 * t->width;
    const float *q = t->three + h * d, *k = q + t->width;
    gemm(
        &(struct gemm){.m = n, .n = n, .k = d, .tb = true, .a = q, .b = k, .c = w, .lda = wide, .ldb = wide, .ldc = n});
    float scale = 1 / sqrtf((float)d);
    for (int i = 0; i < n; i++, w += n) {
        float most = w[0], sum = 0;
        for (int j = 1; j < n; j++)
            most = w[j] > most ? w[j] : most;
        for (int j = 0; j < n; j++)
            sum += w[j] = expf((w[j] - most) * scale);
        for (int j = 0; j < n; j++)
            w[j] /= sum;
    }
}

void attention_forward(const struct attention *t, float *out)
{
    int d = t->width / t->heads, n = t->rows, wide = 3 * t->width;
    float *w = t->memory;
    for (int h = 0; h < t->heads; h++) {
        const float *v = t->three + 2 * t->width + h * d;
        float *to = out + h * d;
        weights(t, h, w);
        gemm(&(struct gemm){.m = n, .n = d, .k = n, .a = w, .b = v, .c = to, .lda = n, .ldb = wide, .ldc = t->width});
    }
}

/* The derivative by the weights becomes that by the products q k'. */
static void softmax_backward(const float *w, float *slope, int n, float scale)
{
    for (int i = 0; i < n; i++, w += n, slope += n) {
        float dot = 0;
        for (int j = 0; j < n; j++)
            dot += w[j] * slope[j];
        for (int j = 0; j < n; j++)
            slope[j] = w[j] * (slope[j] - dot) * scale;
    }
}

void attention_backward(const struct attention *t, const float *slope, float *three_slope)
{
    int d = t->width / t->heads, n = t->rows, wide = 3 * t->width;
    float *w = t->memory, *dw = t->memory + n * n;
    for (int h = 0; h < t->heads; h++) {
        const float *q = t->three + h * d, *k = q + t->width, *v = k + t->width, *out = slope + h * d;
        float *dq = three_slope + h * d, *dk = dq + t->width, *dv = dk + t->width;
        weights(t, h, w);
        gemm(&(struct gemm){
            .m = n, .n = n, .k = d, .tb = true, .a = out, .b = v, .c = dw, .lda = t->width, .ldb = wide, .ldc = n});
        gemm(&(struct gemm){
            .m = n, .n = d, .k = n, .ta = true, .a = w, .b = out, .c = dv, .lda = n, .ldb = t->width, .ldc = wide});
        softmax_backward(w, dw, n, 1 / sqrtf((float)d));
        gemm(&(struct gemm){.m = n, .n = d, .k = n, .a = dw, .b = k, .c = dq, .lda = n, .ldb = wide, .ldc = wide});
        gemm(&(struct gemm){
            .m = n, .n = d, .k = n, .ta = true, .a = dw, .b = q, .c = dk, .lda = n, .ldb = wide, .ldc = wide});
    }
}
