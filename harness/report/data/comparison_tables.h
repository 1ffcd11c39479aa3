/* SPDX-License-Identifier: Apache-2.0 */
/* comparison_tables: the comparisons of a report as tables of a document: means, networks, explorers, pairs, single
 * seeds, kernels, control arms. */
#pragma once
#include "harness/report/data/document.h"
#include "harness/report/data/published.h"

struct comparison_input {
    const struct comparisons *comparisons;
    const struct experiment *experiment;
    const struct published *published; /* NULL: nothing stands beside ours */
    double margin;                     /* of ties */
};
/* Beside each ratio of two arms of unlike conditions, in all tables: in what they differ. */
void comparison_tables_unlike(const struct results *r, struct document *d);
void comparison_tables_fill(const struct comparison_input *in, struct document *d);
