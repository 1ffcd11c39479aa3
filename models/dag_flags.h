/* SPDX-License-Identifier: Apache-2.0 */
/* dag_flags: ten numbers of a kernel that TenSet and Pruner put beside the features of each statement: 1 where its
 * graph, printed, holds `max`, `min`, `add`, `Conv2dOutput`, `conv2d_winograd`, `DepthwiseConv2d`, `dense`, `softmax`,
 * `compute(b, i, j)`; the tenth is 0. Three of these names are those of an older TVM: our graphs are named as in v0.16,
 * where they are `conv2d_nhwc`, `T_matmul_NT` and `T_batch_matmul_NT`, which count as well. */
#pragma once
#include "harness/program/ops/task.h"

enum { DAG_FLAGS = 10 };
struct dag_flags; /* those of the tasks seen so far */
struct dag_flags *dag_flags_open(void);
void dag_flags_close(struct dag_flags *f);
/* DAG_FLAGS numbers, valid until the close. */
const float *dag_flags_of(struct dag_flags *f, const struct task *t);
