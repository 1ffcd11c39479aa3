/* SPDX-License-Identifier: Apache-2.0 */
/* cuda_device: a GPU of the CUDA driver. cuda_device_probe asks about it without starting the driver in this process;
 * cuda_device_open starts it, takes the device's primary context, and makes it current: what else works on the default
 * stream of the current context (cuBLAS, cuDNN) can be timed with cuda_device_time. */
#pragma once
#include "targets/cuda/cuda_api.h"

struct cuda_traits { /* plain data: it comes through a pipe */
    char name[96], bus[32];
    int driver; /* version of CUDA that the driver speaks, 12040 for 12.4 */
    int capability[2];
    int multiprocessors, max_threads, warp, mode;
    int64_t memory_bytes, shared_bytes, l2_bytes;
};
struct cuda_device {
    const struct cuda_api *api;
    struct cuda_traits traits;
    int handle, number;
    void *context;
    void *start, *end; /* events */
    uint64_t flushed;  /* a buffer of flush_bytes on the device; 0: not made yet */
    size_t flush_bytes;
    double timed_s; /* by events, since a collector set it to 0, */
    int timed;      /* and in how many spans */
};

/* Device `number` of the driver, asked by a child process that ends: this one may fork later. False: no driver, an old
 * one, no such device, one that may not be used; and why. Not asked again while cuda_device_keep's answer is known. */
MUST_CHECK bool cuda_device_probe(int number, struct cuda_traits *out, struct err *err);
/* Asks anew, and keeps what the device is for this process and those forked from it: starting the driver can take
 * seconds where no other process holds the GPU. */
MUST_CHECK bool cuda_device_keep(int number, struct err *err);

MUST_CHECK bool cuda_device_open(struct cuda_device *d, int number, struct err *err);
void cuda_device_close(struct cuda_device *d);
/* The device that is open in this process, for collectors; NULL: none. */
struct cuda_device *cuda_device_current(void);

/* Seconds on the device between two events around what work enqueues on the default stream. work answers a status of
 * CUDA. flush: caches are overwritten before the first event, with twice the size of the second-level cache. Events
 * resolve half a microsecond (CUDA driver API, cuEventElapsedTime). A status. */
struct cuda_work {
    int (*enqueue)(void *ctx);
    void *ctx;
    bool flush;
};
MUST_CHECK int cuda_device_time(struct cuda_device *d, const struct cuda_work *work, double *seconds);
