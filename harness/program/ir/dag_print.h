/* SPDX-License-Identifier: Apache-2.0 */
/* dag_print: expressions and stages as text, in the notation in which TVM prints a ComputeDAG. */
#pragma once
#include "harness/base/text.h"
#include "harness/program/ir/dag.h"

/* d may be NULL: loads are then printed as "#id[...]". */
void expr_print(const struct dag *d, const struct op *op, const struct expr *e, struct text *out);
void op_print(const struct dag *d, const struct op *op, struct text *out);
