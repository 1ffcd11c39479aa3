/* SPDX-License-Identifier: Apache-2.0 */
/* race_tables: the tables that only a race has: sooner than the first arm, GFLOP/s by kernel. */
#pragma once
#include "harness/report/data/document.h"

struct race_input {
    const struct comparisons *comparisons; /* of results that results_race was called for */
    const struct validity *validity;       /* has the machine's peak */
    double margin;                         /* of ties */
};
void race_tables_fill(const struct race_input *in, struct document *d);
