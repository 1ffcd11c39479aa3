/* SPDX-License-Identifier: Apache-2.0 */
/* tile_rewrite: brings a few iterations of an outer spatial loop inside, next to the vector loop, where register tiles
 * can use them. */
#pragma once
#include "targets/cpu/emitter.h"

/* The nest of em, rewritten where that makes a register tile clearly cheaper, else the very same nest. Results do not
 * change: every element gets its updates in the order of the schedule. In em's arena. */
const struct nest *tile_rewrite(struct emitter *em);
