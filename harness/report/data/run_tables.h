/* SPDX-License-Identifier: Apache-2.0 */
/* run_tables: what a report says of the run besides its comparisons, as tables of a document: curves, time to target,
 * few records, losses, noise and gates, failures, phases, counters, environment, cells, published rows. */
#pragma once
#include "harness/report/data/document.h"
#include "harness/report/data/published.h"
#include "harness/report/data/validity.h"

/* How the arm of rows of TABLE_DUELS begins that are the null pairs of one of several machines; its node follows. */
#define DUELS_ON_NODE "null pairs on node "
struct run_input {
    const struct results *results;
    const struct validity *validity;
    double margin;                     /* of ties */
    bool race;                         /* curves over trials, too */
    const struct published *published; /* NULL: none */
    const struct published_rows *rows; /* NULL: none */
};
MUST_CHECK bool run_tables_fill(const struct run_input *in, struct document *d, struct err *err);
