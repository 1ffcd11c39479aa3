/* SPDX-License-Identifier: Apache-2.0 */
/* access_analysis: the static analysis of a dag (harness/doc/ansor.md, "Analysis of the graph", TVM's AccessAnalyzer):
 * reads, producers and consumers, and the properties that sketch rules ask for. */
#pragma once
#include "harness/program/ir/dag.h"

/* Fills analysis[0..nops-1] for d, whose ops, position and nids are set. Memory from a. */
void access_analysis_fill(struct arena *a, const struct dag *d, struct op_analysis *analysis);
/* From stage to stage there is one consumer each, of the same shape, that reads element by element. */
bool dag_element_wise_match(const struct dag *d, int from, int to);
/* How many leading axes all stages from one to the other have in common: equal extents, read at the same index. The
 * least over the paths between them; 0 when there is none (TVM: GetNumCommonOuterIterator). */
int dag_common_outer(const struct dag *d, int from, int to);
