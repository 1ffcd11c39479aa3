/* SPDX-License-Identifier: Apache-2.0 */
/* range_profiler: hardware counters of a GPU, by CUPTI's Range Profiler and Profiler Host (CUDA 12.6 update 2 and
 * later; the older Profiling, Event and Metric APIs are not used). One range a kernel launch; CUPTI replays each launch
 * as often as the metrics need passes, and puts memory back between them. Typed in as CUPTI 13.0 has it, of whose
 * headers that of the Profiler Host cannot be read by a C compiler. */
#pragma once
#include "targets/cuda/cupti_api.h"

#include <stdbool.h>

enum { PROFILER_METRICS = 12, PROFILER_RANGES = 256 };

struct profiler_api;
struct profiler_metric {
    const char *name; /* as CUPTI knows it; sums only, so that launches can be added up */
    bool present;     /* the chip has it */
    int status;       /* of CUPTI, where not */
};
struct range_profiler {
    const struct cupti_api *cupti;
    const struct profiler_api *api;
    struct profiler_metric *metrics; /* n of them */
    int n;
    const char *names[PROFILER_METRICS]; /* of those that are present */
    int nnames, passes;
    void *context;
    void *host, *ranges; /* CUPTI's objects; ranges: from start to stop */
    uint8_t *config, *data;
    size_t config_bytes, data_bytes;
};

/* The host's side alone, without a GPU: which of the metrics the chip ("GA100") has, and how many passes they need.
 * available: what the driver says of this GPU's counters, or NULL. False: there is no such interface or chip. */
MUST_CHECK bool range_profiler_plan(struct range_profiler *p, const char *chip, const uint8_t *available,
                                    struct profiler_metric *metrics, int n, struct err *err);
/* With the GPU whose context is current: asks for its chip and its counters, and plans. Nothing on the GPU changes
 * before start, so that others can measure. False: why nothing can be counted; no permission is the usual reason. */
MUST_CHECK bool range_profiler_open(struct range_profiler *p, int device, void *context,
                                    struct profiler_metric *metrics, int n, struct err *err);
MUST_CHECK bool range_profiler_start(struct range_profiler *p, struct err *err);
/* sums: of all launches since start, one a name of p->names. *launches: how many. */
MUST_CHECK bool range_profiler_stop(struct range_profiler *p, double *sums, int *launches, struct err *err);
void range_profiler_close(struct range_profiler *p);
