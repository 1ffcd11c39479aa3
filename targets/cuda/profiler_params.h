/* SPDX-License-Identifier: Apache-2.0 */
/* profiler_params: the parameters of CUPTI's Range Profiler and Profiler Host, each function's in a struct whose first
 * member says how many bytes it has up to the last member that is known. As in the headers of CUPTI 13.0, against which
 * a test holds them where those are installed. */
#pragma once
#include <stddef.h>
#include <stdint.h>

struct profiler_plain { /* cuptiProfilerInitialize */
    size_t size;
    void *reserved;
};
struct profiler_chip { /* cuptiDeviceGetChipName */
    size_t size;
    void *reserved;
    size_t device;
    const char *name; /* out */
};
struct profiler_available { /* cuptiProfilerGetCounterAvailability */
    size_t size;
    void *reserved, *context;
    size_t bytes; /* out where image is NULL */
    uint8_t *image;
};
struct profiler_host { /* cuptiProfilerHostInitialize */
    size_t size;
    void *reserved;
    int kind; /* 0: for the range profiler */
    const char *chip;
    const uint8_t *available;
    void *host; /* out */
};
struct profiler_object { /* functions that take an object and nothing else */
    size_t size;
    void *reserved, *object;
};
struct profiler_names { /* cuptiProfilerHostConfigAddMetrics */
    size_t size;
    void *reserved, *host;
    const char **names;
    size_t n;
};
struct profiler_bytes { /* cuptiProfilerHostGetConfigImageSize */
    size_t size;
    void *reserved, *host;
    size_t bytes; /* out */
};
struct profiler_image { /* cuptiProfilerHostGetConfigImage, cuptiRangeProfilerCounterDataImageInitialize */
    size_t size;
    void *reserved, *object;
    size_t bytes;
    uint8_t *image;
};
struct profiler_passes { /* cuptiProfilerHostGetNumOfPasses */
    size_t size;
    void *reserved;
    size_t bytes;
    uint8_t *image;
    size_t n; /* out */
};
struct profiler_values { /* cuptiProfilerHostEvaluateToGpuValues */
    size_t size;
    void *reserved, *host;
    const uint8_t *data;
    size_t bytes, range;
    const char **names;
    size_t n;
    double *values;
};
struct profiler_enable { /* cuptiRangeProfilerEnable */
    size_t size;
    void *reserved, *context, *ranges; /* ranges: out */
};
struct profiler_data { /* cuptiRangeProfilerGetCounterDataSize */
    size_t size;
    void *reserved, *ranges;
    const char **names;
    size_t n, most_ranges;
    uint32_t most_nodes;
    size_t bytes; /* out */
};
struct profiler_config { /* cuptiRangeProfilerSetConfig */
    size_t size;
    void *reserved, *ranges;
    size_t config_bytes;
    const uint8_t *config;
    size_t data_bytes;
    uint8_t *data;
    int range, replay;
    size_t most_ranges;
    uint16_t levels, first_level;
    size_t pass;
    uint16_t level;
};
struct profiler_stop { /* cuptiRangeProfilerStop */
    size_t size;
    void *reserved, *ranges;
    size_t pass, level; /* out */
    uint8_t done;       /* out */
};
struct profiler_decode { /* cuptiRangeProfilerDecodeData */
    size_t size;
    void *reserved, *ranges;
    size_t dropped; /* out */
};
struct profiler_count { /* cuptiRangeProfilerGetCounterDataInfo */
    size_t size;
    void *reserved;
    const uint8_t *data;
    size_t bytes, n; /* n: out */
};
#define SIZE_TO(type, last) (offsetof(struct type, last) + sizeof(((struct type *)0)->last))
enum { ONE_RANGE_A_LAUNCH = 1, REPLAY_LAUNCHES = 2 }; /* CUPTI_AutoRange, CUPTI_KernelReplay */
