/* SPDX-License-Identifier: Apache-2.0 */
/* gpu_counters: the metrics that the collector of that name asks for. */
#pragma once
#include "targets/cuda/range_profiler.h"

enum { GPU_COUNTERS = 12 };
/* Their names; nothing is known of them yet. */
void gpu_counters_metrics(struct profiler_metric out[GPU_COUNTERS]);
