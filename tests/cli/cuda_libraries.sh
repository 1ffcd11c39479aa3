#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# cuda_libraries: target cuda-libraries calls cuBLAS and cuDNN with the right sizes, layouts and order. Both and the driver
# are made up here: small libraries that compute on the host, in the libraries' own layouts.
set -u
. tests/lib/tap.bash
cc=$(command -v cc || command -v gcc) || skip_all "no C compiler for made-up libraries"
cd "$dir" || exit 1
mkdir -p libs experiments/networks experiments/machines
cat >driver.c <<'END'
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
static double now(void) { struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); return 1e3 * t.tv_sec + 1e-6 * t.tv_nsec; }
int cuInit(unsigned flags) { return flags ? 1 : getenv("MADE_NO_DEVICE") ? 100 : 0; }
int cuDeviceGet(int *device, int number) { *device = 7; return number; }
int cuDeviceGetName(char *name, int n, int device) { strncpy(name, "Made-up GPU", n); return device != 7; }
int cuDevicePrimaryCtxRetain(void **context, int device) { *context = (void *)"context"; return device != 7; }
int cuCtxSetCurrent(void *context) { return strcmp(context, "context") != 0; }
int cuMemAlloc_v2(uint64_t *at, size_t bytes) { *at = (uint64_t)(uintptr_t)malloc(bytes); return *at == 0; }
int cuMemFree_v2(uint64_t at) { free((void *)(uintptr_t)at); return 0; }
int cuMemcpyHtoD_v2(uint64_t to, const void *from, size_t n) { memcpy((void *)(uintptr_t)to, from, n); return 0; }
int cuMemcpyDtoH_v2(void *to, uint64_t from, size_t n) { memcpy(to, (void *)(uintptr_t)from, n); return 0; }
int cuEventCreate(void **event, unsigned flags) { *event = malloc(sizeof(double)); return flags != 0; }
int cuEventDestroy_v2(void *event) { free(event); return 0; }
int cuEventRecord(void *event, void *stream) { *(double *)event = now(); return stream != NULL; }
int cuEventSynchronize(void *event) { return event == NULL; }
int cuEventElapsedTime(float *ms, void *start, void *end) { *ms = (float)(*(double *)end - *(double *)start); return *ms < 0; }
END
cat >cublas.c <<'END'
#include <stdint.h>
int cublasCreate_v2(void **handle) { *handle = (void *)"blas"; return 0; }
int cublasDestroy_v2(void *handle) { return handle == 0; }
int cublasGetVersion_v2(void *handle, int *version) { *version = 130000; return handle == 0; }
int cublasSgemm_v2(void *handle, int op_a, int op_b, int m, int n, int k, const float *alpha, uint64_t a, int lda, uint64_t b,
                   int ldb, const float *beta, uint64_t c, int ldc)
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
END
cat >cudnn.c <<'END'
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
struct shape { int d[4]; };
struct conv { int pad[2], stride[2], dilation[2], groups, math; };
struct timed { int algorithm, status; float ms; size_t workspace; int determinism, math, reserved[3]; };
int cudnnCreate(void **handle) { *handle = (void *)"dnn"; return 0; }
int cudnnDestroy(void *handle) { return handle == NULL; }
int cudnnCreateTensorDescriptor(void **t) { *t = calloc(1, sizeof(struct shape)); return 0; }
int cudnnCreateFilterDescriptor(void **t) { return cudnnCreateTensorDescriptor(t); }
int cudnnCreateConvolutionDescriptor(void **t) { *t = calloc(1, sizeof(struct conv)); return 0; }
int cudnnDestroyTensorDescriptor(void *t) { free(t); return 0; }
int cudnnDestroyFilterDescriptor(void *t) { free(t); return 0; }
int cudnnDestroyConvolutionDescriptor(void *t) { free(t); return 0; }
int cudnnSetTensor4dDescriptor(void *t, int format, int type, int n, int c, int h, int w)
{
    *(struct shape *)t = (struct shape){{n, c, h, w}};
    return format || type;
}
int cudnnSetFilter4dDescriptor(void *t, int type, int format, int k, int c, int h, int w)
{
    return cudnnSetTensor4dDescriptor(t, format, type, k, c, h, w);
}
int cudnnSetConvolution2dDescriptor(void *t, int ph, int pw, int sh, int sw, int dh, int dw, int mode, int type)
{
    *(struct conv *)t = (struct conv){{ph, pw}, {sh, sw}, {dh, dw}, 1, 0};
    return mode != 1 || type;
}
int cudnnSetConvolutionGroupCount(void *t, int groups) { ((struct conv *)t)->groups = groups; return groups < 1; }
int cudnnSetConvolutionMathType(void *t, int math) { ((struct conv *)t)->math = math; return math != 3; }
int cudnnFindConvolutionForwardAlgorithm(void *handle, void *x, void *w, void *conv, void *y, int most, int *n, struct timed *out)
{
    out[0] = (struct timed){.algorithm = 5, .math = 1}; /* by tensor cores: not to be taken */
    out[1] = (struct timed){.algorithm = 2, .ms = 1, .math = 3, .workspace = 64};
    *n = 2;
    return !handle || !x || !w || !conv || !y || most < 2;
}
int cudnnConvolutionForward(void *handle, const void *alpha, void *xs, uint64_t x_at, void *ws, uint64_t w_at, void *conv,
                            int algorithm, uint64_t workspace, size_t bytes, const void *beta, void *ys, uint64_t y_at)
{
    const struct shape *x = xs, *w = ws, *y = ys;
    const struct conv *c = conv;
    const float *from = (const float *)(uintptr_t)x_at, *filter = (const float *)(uintptr_t)w_at;
    float *to = (float *)(uintptr_t)y_at;
    int per = y->d[1] / c->groups;
    if (!handle || algorithm != 2 || !workspace || bytes != 64 || *(const float *)alpha != 1 || *(const float *)beta != 0 ||
        w->d[1] * c->groups != x->d[1] || c->math != 3)
        return 3;
    for (int n = 0; n < y->d[0]; n++)
        for (int o = 0; o < y->d[1]; o++)
            for (int h = 0; h < y->d[2]; h++)
                for (int v = 0; v < y->d[3]; v++) {
                    float sum = 0;
                    for (int i = 0; i < w->d[1]; i++)
                        for (int a = 0; a < w->d[2]; a++)
                            for (int b = 0; b < w->d[3]; b++) {
                                int r = h * c->stride[0] - c->pad[0] + a * c->dilation[0];
                                int s = v * c->stride[1] - c->pad[1] + b * c->dilation[1];
                                int channel = o / per * w->d[1] + i;
                                if (r >= 0 && r < x->d[2] && s >= 0 && s < x->d[3])
                                    sum += from[((n * x->d[1] + channel) * x->d[2] + r) * x->d[3] + s] *
                                           filter[((o * w->d[1] + i) * w->d[2] + a) * w->d[3] + b];
                            }
                    to[((n * y->d[1] + o) * y->d[2] + h) * y->d[3] + v] = sum;
                }
    return 0;
}
END
made() { "$cc" -O1 -shared -fPIC -o "libs/$2" "$1" 2>"$err" || skip_all "the made-up $2 is not compiled: $(head -c 100 "$err")"; }
made driver.c libcuda.so.1
made cublas.c libcublas.so.13
made cudnn.c libcudnn.so.9
cat >experiments/machines/gpu.yaml <<'END'
name: gpu
target: cuda-libraries
END
cat >experiments/networks/made.yaml <<'END'
name: made
kernels: 5
calls: 5
list:
  - {count: 1, op: matmul, n: 16, m: 24, k: 40}
  - {count: 1, op: conv2d, ci: 8, hi: 9, wi: 11, co: 12, kh: 3, kw: 3, sh: 2, sw: 2, ph: 1, pw: 1, layout: nchw}
  - {count: 1, op: conv2d, n: 2, ci: 6, hi: 9, wi: 11, co: 10, kh: 3, kw: 1, ph: 1, pw: 0, layout: nhwc}
  - {count: 1, op: depthwise_conv2d, ci: 8, hi: 12, wi: 10, kh: 3, kw: 3, ph: 1, pw: 1, layout: nchw}
  - {count: 1, op: conv2d, ci: 8, hi: 8, wi: 8, co: 8, kh: 3, kw: 3, ph: 1, pw: 1, layout: nchw, relu: 1}
END
cat >experiments/made.yaml <<'END'
experiment: made
title: made-up libraries
report: micro
networks: [made]
machine: gpu
seeds: 1
regime: {number: 1, repeat: 2, min_repeat_ms: 0}
arms:
  - {name: library, searcher: random, scheduler: round_robin, batch: 1, trials_per_kernel: 1}
END
rg() { LD_LIBRARY_PATH=$dir/libs${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} "$bin" "$@" --experiments experiments >"$out" 2>"$err"; }
gives 0 "doctor works with the libraries" doctor
prints "  cuda-libraries works"
gives 0 "the libraries' programs are measured" run made --results r --quiet
command -v sqlite3 >/dev/null || { skip "the libraries give the right results" "no sqlite3 to ask the records"; finish; }
outcomes() { sqlite3 -readonly "$1/records.db" "SELECT outcome || ' ' || message FROM trial ORDER BY task"; }
outcomes r >"$out"
[ "$(grep -c '^ok *$' "$out")" = 4 ]
ok $? "matmul and convolutions in every layout give the right results"
[ "$(tail -n 1 "$out")" = "invalid target cuda-libraries runs convolutions without an epilogue only" ]
ok $? "what the libraries cannot do is said"
sqlite3 -readonly r/records.db "SELECT environment FROM campaign" >"$out"
prints '"gpu":"Made-up GPU"'
echo "int cudnnOther;" >other.c && rm libs/libcudnn.so.9
made other.c libcudnn.so.9
gives 0 "a cuDNN without the functions is no hindrance" run made --results s --quiet
outcomes s >"$out"
[ "$(grep -c '^ok *$' "$out")" = 1 ] && [ "$(grep -c 'cuDNN has no function cudnnCreate' "$out")" = 3 ]
ok $? "cuBLAS works without cuDNN, and the convolutions say why they do not"
rm libs/libcuda.so.1 && echo "no library" >libs/libcuda.so.1
gives 2 "without a driver" run made --results t --quiet
says "the NVIDIA driver"
finish
