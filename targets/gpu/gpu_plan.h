/* SPDX-License-Identifier: Apache-2.0 */
/* gpu_plan: what is decided on a kernel before a line of it is written: where tensors are, which statements a virtual
 * thread repeats, which loops are unrolled. */
#pragma once
#include "targets/gpu/gpu_emitter.h"

/* The kernel that s is, with its barriers. Failures are noted in em. */
struct gpu_node *gpu_plan(struct gpu_emitter *em, const struct stmt *s);
