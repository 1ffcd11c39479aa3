/* SPDX-License-Identifier: Apache-2.0 */
/* emit_function: functions: the kernel itself, and the body of each parallel loop as a function of its own. */
#pragma once
#include "targets/cpu/tile/loop_plan.h"

void emit_kernel(struct emitter *em, const struct loop_node *root);
void emit_parallel(struct emitter *em, const struct loop_node *parallel_loop);
