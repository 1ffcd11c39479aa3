/* SPDX-License-Identifier: Apache-2.0 */
/* gpu_fragment: 16x16x16 blocks for tensor cores, where the dialect has them: a loop marked `tensorize`, the loops
 * inside, and one store become one operation of a warp on fragments. A fragment is a 16x16 block of a tensor of scope
 * `wmma.*`, of which each of 32 threads holds 8 registers. */
#pragma once
#include "targets/gpu/gpu_emitter.h"

bool gpu_fragment_is_block(const struct gpu_emitter *em, const struct stmt *s);
bool gpu_fragment_is_tensor(const struct gpu_emitter *em, const struct buffer *b);
/* The declaration of the fragments of a tensor. */
void gpu_fragment_declare(struct gpu_emitter *em, const struct buffer *b);
/* The operation that the block is. Failures are noted in em: a block of no known form, a warp of other than 32 threads
 * along x. */
void gpu_fragment_block(struct gpu_emitter *em, const struct stmt *s);
