/* SPDX-License-Identifier: Apache-2.0 */
/* parallel: what compiled kernels call: the bodies of parallel loops run on OpenMP threads, and the C library. */
#pragma once
#include <stdint.h>

/* Threads for all later calls, the calling thread included; they are started and pinned at the first parallel loop. */
void parallel_threads(int threads);
/* Ends the threads; the next parallel loop starts them again. */
void parallel_stop(void);
/* Cuts 0..n-1 into one contiguous piece per thread (as TVM's runtime does) and returns when all are done. One caller at
 * a time. thread: 0 is the caller. */
void raingauge_parallel(void (*body)(int64_t lo, int64_t hi, void *env, int64_t thread), void *env, int64_t n);
/* Runs task 0..n-1, one on each thread, n the number of threads. A task finds its own part of the work, as under TVM's
 * TVMBackendParallelLaunch. */
void raingauge_launch(void (*task)(int32_t id, int32_t n, void *env), void *env);
/* What a kernel's tensors inside come from and go to (TVM: TVMBackendAllocWorkspace, TVMBackendFreeWorkspace). The
 * memory is there already. The calls are for LLVM, which then knows as little of it as under TVM. */
void *raingauge_workspace(void *memory);
void raingauge_workspace_end(void *memory);

/* The functions of the C library that kernels may call. */
#define KERNEL_CALLS(X)                                                                                                \
    X(expf), X(exp), X(logf), X(log), X(tanhf), X(tanh), X(erff), X(erf), X(sqrtf), X(sqrt), X(rintf), X(rint),        \
        X(fmaf), X(fma), X(memset), X(memcpy), X(memmove)
