/* SPDX-License-Identifier: Apache-2.0 */
/* layout_rewrite: layout rewrite of weights: a weight that one store reads is re-laid-out to follow the
 * loops around that store. */
#pragma once
#include "harness/program/ir/dag.h"
#include "harness/program/ir/nest.h"

/* NONE: weights stay as given. INSERT: a packed copy is made inside the kernel by a parallel copy nest in front.
 * REWRITTEN: the argument itself is packed (layout.h says how to fill it). */
enum layout_mode { LAYOUT_NONE = 0, LAYOUT_INSERT = 1, LAYOUT_REWRITTEN = 2 };

/* d: the dag that was lowered to n. A weight whose access does not decompose into loops stays as it is. */
void layout_rewrite_weights(struct nest *n, const struct dag *d, enum layout_mode mode);
