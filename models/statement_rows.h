/* SPDX-License-Identifier: Apache-2.0 */
/* statement_rows: a program as model xgb sees it, one row of 164 a written buffer (feature.h), as TenSet's MLP sees it,
 * one row of 174 a written buffer (feature.h, dag_flags.h), and as PaCM does, with the blocks of dataflow.h beside, or
 * by the blocks alone. Forms of example_batch.h. */
#pragma once
#include "models/example_batch.h"

#define FEATURE_FORM                                                                                                   \
    {.lowers = true, .inputs = 1, .width = {FEATURE_WIDTH}, .none = {1}, .show = statement_rows_show_features}
#define STATEMENT_FORM                                                                                                 \
    {.lowers = true, .inputs = 1, .width = {STATEMENT_WIDTH}, .none = {1}, .show = statement_rows_show}
#define STATEMENT_DATAFLOW_FORM                                                                                        \
    {.lowers = true,                                                                                                   \
     .inputs = 2,                                                                                                      \
     .width = {STATEMENT_WIDTH, DATAFLOW_WIDTH},                                                                       \
     .none = {1, DATAFLOW_BLOCKS},                                                                                     \
     .show = statement_rows_show_dataflow}
#define DATAFLOW_FORM                                                                                                  \
    {.lowers = true,                                                                                                   \
     .inputs = 1,                                                                                                      \
     .width = {DATAFLOW_WIDTH},                                                                                        \
     .none = {DATAFLOW_BLOCKS},                                                                                        \
     .show = statement_rows_show_blocks}
bool statement_rows_show_features(struct arena *a, const struct example_source *s, struct example_inputs *out);
bool statement_rows_show(struct arena *a, const struct example_source *s, struct example_inputs *out);
bool statement_rows_show_dataflow(struct arena *a, const struct example_source *s, struct example_inputs *out);
bool statement_rows_show_blocks(struct arena *a, const struct example_source *s, struct example_inputs *out);
