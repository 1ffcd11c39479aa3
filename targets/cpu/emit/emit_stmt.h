/* SPDX-License-Identifier: Apache-2.0 */
/* emit_stmt: statements of a planned nest: loops, guards, allocations, stores. The emission of a nest begins here, and
 * the modules that emit parts of it come back through emitter.emit_stmt. */
#pragma once
#include "targets/cpu/tile/loop_plan.h"

void emit_stmt(struct emitter *em, const struct loop_node *n);
