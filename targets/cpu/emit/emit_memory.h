/* SPDX-License-Identifier: Apache-2.0 */
/* emit_memory: loads and stores of tensor elements of the nest, under the lanes, the condition and the mask that are
 * set in the emitter. */
#pragma once
#include "targets/cpu/emitter.h"

struct lane_value emit_load(struct emitter *em, const struct buffer *b, const struct affine *index);
void emit_store(struct emitter *em, const struct buffer *b, const struct affine *index, struct lane_value value);
