/* SPDX-License-Identifier: Apache-2.0 */
/* outline: functions: the kernel itself, and the body of each parallel loop as a function of its own. */
#pragma once
#include "targets/cpu/unroll.h"

void outline_kernel(struct emitter *em, const struct node *root);
void outline_emit(struct emitter *em, const struct node *parallel_loop);
