/* SPDX-License-Identifier: Apache-2.0 */
/* emit_tile: emits a reduction with the elements that it updates in registers. */
#pragma once
#include "targets/cpu/tile/loop_plan.h"

/* Emits n as a register tile, or as a part of the open one, if that is possible and pays. False: nothing was emitted.
 */
bool emit_tile(struct emitter *em, const struct loop_node *n);
