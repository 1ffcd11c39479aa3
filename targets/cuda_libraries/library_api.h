/* SPDX-License-Identifier: Apache-2.0 */
/* library_api: what is called of cuBLAS (11 to 13) and cuDNN (8, 9), typed in as their references give it: a handle or
 * descriptor is a pointer, a status and an enumeration an int, an address on the device 64 bits. No header of NVIDIA's
 * is needed to build. */
#pragma once
#include "harness/base/library.h"

#include <stdint.h>

/* member, function, parameters; all give a status, 0 is fine */
#define CUBLAS_FUNCTIONS(X)                                                                                            \
    X(create, "cublasCreate_v2", (void **handle))                                                                      \
    X(destroy, "cublasDestroy_v2", (void *handle))                                                                     \
    X(version, "cublasGetVersion_v2", (void *handle, int *version))                                                    \
    X(sgemm, "cublasSgemm_v2",                                                                                         \
      (void *handle, int op_a, int op_b, int m, int n, int k, const float *alpha, uint64_t a, int lda, uint64_t b,     \
       int ldb, const float *beta, uint64_t c, int ldc))

struct cudnn_timed { /* cudnnConvolutionFwdAlgoPerf_t */
    int algorithm, status;
    float ms;
    size_t workspace;
    int determinism, math, reserved[3];
};
#define CUDNN_FUNCTIONS(X)                                                                                             \
    X(create, "cudnnCreate", (void **handle))                                                                          \
    X(destroy, "cudnnDestroy", (void *handle))                                                                         \
    X(tensor_make, "cudnnCreateTensorDescriptor", (void **tensor))                                                     \
    X(tensor_drop, "cudnnDestroyTensorDescriptor", (void *tensor))                                                     \
    X(tensor_set, "cudnnSetTensor4dDescriptor", (void *tensor, int format, int type, int n, int c, int h, int w))      \
    X(filter_make, "cudnnCreateFilterDescriptor", (void **filter))                                                     \
    X(filter_drop, "cudnnDestroyFilterDescriptor", (void *filter))                                                     \
    X(filter_set, "cudnnSetFilter4dDescriptor", (void *filter, int type, int format, int k, int c, int h, int w))      \
    X(conv_make, "cudnnCreateConvolutionDescriptor", (void **conv))                                                    \
    X(conv_drop, "cudnnDestroyConvolutionDescriptor", (void *conv))                                                    \
    X(conv_set, "cudnnSetConvolution2dDescriptor",                                                                     \
      (void *conv, int pad_h, int pad_w, int stride_h, int stride_w, int dilation_h, int dilation_w, int mode,         \
       int type))                                                                                                      \
    X(conv_groups, "cudnnSetConvolutionGroupCount", (void *conv, int groups))                                          \
    X(conv_math, "cudnnSetConvolutionMathType", (void *conv, int math))                                                \
    X(find, "cudnnFindConvolutionForwardAlgorithm",                                                                    \
      (void *handle, void *x, void *w, void *conv, void *y, int most, int *n, struct cudnn_timed *out))                \
    X(workspace, "cudnnGetConvolutionForwardWorkspaceSize",                                                            \
      (void *handle, void *x, void *w, void *conv, void *y, int algorithm, size_t *bytes))                             \
    X(forward, "cudnnConvolutionForward",                                                                              \
      (void *handle, const void *alpha, void *x, uint64_t x_at, void *w, uint64_t w_at, void *conv, int algorithm,     \
       uint64_t workspace, size_t bytes, const void *beta, void *y, uint64_t y_at))

struct cublas_api {
    CUBLAS_FUNCTIONS(LIBRARY_MEMBER)
};
struct cudnn_api {
    CUDNN_FUNCTIONS(LIBRARY_MEMBER)
};

enum { CUBLAS_PLAIN = 0 }; /* CUBLAS_OP_N */
enum { CUDNN_FLOAT = 0, CUDNN_NCHW = 0, CUDNN_CORRELATION = 1 };
enum { CUDNN_DEFAULT = 0, CUDNN_FMA = 3 }; /* cudnnMathType_t; CUDNN_FMA_MATH: no tensor cores */

/* Each is loaded once a process, and none of its functions is called. NULL with the reason: it is not installed, or has
 * no such function. */
const struct cublas_api *library_cublas(struct err *err);
const struct cudnn_api *library_cudnn(struct err *err);
