/* SPDX-License-Identifier: Apache-2.0 */
/* cost: estimated cycles of a nest, for choosing between nests that compute the same (sink.c). Counts what the core
 * executes; caches are not modelled. */
#pragma once
#include "targets/cpu/unroll.h"

double cost_of(struct emitter *em, const struct node *root);
