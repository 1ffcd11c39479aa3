/* SPDX-License-Identifier: Apache-2.0 */
/* dag_print: stages as text, in the notation in which TVM prints a ComputeDAG. */
#pragma once
#include "harness/base/text.h"
#include "harness/program/ir/dag.h"

/* "name(i, j) += (a[i, k]*b[k, j])" without newline. d may be NULL: loads are then printed as "#id[...]". */
void op_print(const struct dag *d, const struct op *op, struct text *out);
void dag_print(const struct dag *d, struct text *out); /* a line per op */
