/* SPDX-License-Identifier: Apache-2.0 */
/* gpu_plan: what is decided on a kernel before a line of it is written: where tensors are, which statements a virtual
 * thread repeats, which loops are unrolled, where the threads of a block wait for each other. */
#pragma once
#include "targets/gpu/gpu_emitter.h"

/* The kernel that s is. Failures are noted in em. */
struct gpu_node *gpu_plan(struct gpu_emitter *em, const struct stmt *s);
/* Sets barrier of the nodes. */
void gpu_sync(struct gpu_emitter *em, struct gpu_node *kernel);

static inline bool gpu_is_thread(enum annotation a)
{
    return a == ANN_THREAD_X || a == ANN_THREAD_Y || a == ANN_THREAD_Z;
}
static inline bool gpu_is_bound(enum annotation a)
{
    return gpu_is_thread(a) || a == ANN_BLOCK_X || a == ANN_BLOCK_Y || a == ANN_BLOCK_Z || a == ANN_VTHREAD;
}
/* The store of a leaf. */
static inline const struct stmt *gpu_leaf_store(const struct gpu_node *n)
{
    const struct stmt *s = n->s;
    while (s->kind != STMT_STORE)
        s = s->body[0];
    return s;
}
