/* SPDX-License-Identifier: Apache-2.0 */
/* tile_rewrite: brings a few turns of an outer spatial loop inside, next to the vector loop, where register tiles can
 * use them.
 */
#pragma once
#include "targets/cpu/emit/emitter.h"

/* The nest of em, rewritten where that makes a register tile clearly cheaper; the very same nest where it does not.
 * Results do not change: every element sees its updates in the order of the schedule. Storage is em's arena. */
const struct nest *tile_rewrite(struct emitter *em);
