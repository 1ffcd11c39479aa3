/* SPDX-License-Identifier: Apache-2.0 */
/* cycle_estimate: estimated cycles of a nest, for choosing between nests that compute the same (tile_rewrite.c). Counts
 * what the core executes; caches are not modelled. */
#pragma once
#include "targets/cpu/tile/loop_plan.h"

double cycle_estimate(struct emitter *em, const struct loop_node *root);
