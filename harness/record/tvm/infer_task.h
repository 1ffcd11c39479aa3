/* SPDX-License-Identifier: Apache-2.0 */
/* infer_task: kernels whose arguments have given shapes. TVM's records have the shapes of a kernel and a hash of its
 * graph, not its operator, strides, padding or window: this lists what they may be, the likely first. */
#pragma once
#include "harness/record/tvm/workload.h"

enum { INFER_TASK_MOST = 512 };
/* Task lines, in a; at most INFER_TASK_MOST. Not all of them fit: ask workload_fits. w must have shapes, not
 * only numbers. */
int infer_task_specs(struct arena *a, const struct workload *w, const char **out);
