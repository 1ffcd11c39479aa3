/* SPDX-License-Identifier: Apache-2.0 */
/* gpu_sync: where the threads of a block wait for each other. */
#pragma once
#include "targets/gpu/gpu_emitter.h"

/* Sets barrier of the kernel's nodes. Failures are noted in em. */
void gpu_sync(struct gpu_emitter *em, struct gpu_node *kernel);
