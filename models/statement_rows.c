/* SPDX-License-Identifier: Apache-2.0 */
/* statement_rows: both from one walk over the nest. */
#include "models/statement_rows.h"

#include "models/dag_flags.h"
#include "models/nn/networks.h"

#include <string.h>

_Static_assert(STATEMENT_WIDTH == FEATURE_WIDTH + DAG_FLAGS, "a statement's row is its features and the flags");
_Static_assert((int)DATAFLOW_WIDTH == (int)DATAFLOW_FIELDS, "a block's row is its fields");

static bool statements(struct arena *a, const struct example_source *s, const struct feature_watch *watch,
                       struct example_rows *out)
{
    struct features f;
    if (!feature_extract_watched(a, s->nest, watch, &f, NULL) || f.rows == 0)
        return false;
    float *at = ARENA_ARRAY(a, float, (size_t)f.rows *STATEMENT_WIDTH);
    for (int r = 0; r < f.rows; r++) {
        memcpy(at + (size_t)r * STATEMENT_WIDTH, f.at + (size_t)r * FEATURE_WIDTH, sizeof *at * FEATURE_WIDTH);
        memcpy(at + (size_t)r * STATEMENT_WIDTH + FEATURE_WIDTH, s->flags, sizeof *at * DAG_FLAGS);
    }
    *out = (struct example_rows){f.rows, at};
    return true;
}

bool statement_rows_show_features(struct arena *a, const struct example_source *s, struct example_inputs *out)
{
    struct features f;
    if (!feature_extract(a, s->nest, &f, NULL) || f.rows == 0)
        return false;
    out->in[0] = (struct example_rows){f.rows, f.at};
    return true;
}

bool statement_rows_show(struct arena *a, const struct example_source *s, struct example_inputs *out)
{
    return statements(a, s, NULL, &out->in[0]);
}

bool statement_rows_show_dataflow(struct arena *a, const struct example_source *s, struct example_inputs *out)
{
    struct feature_watch watch = dataflow_start(s->dataflow);
    if (!statements(a, s, &watch, &out->in[0]))
        return false;
    float *at = ARENA_ARRAY(a, float, DATAFLOW_BLOCKS *DATAFLOW_FIELDS);
    dataflow_blocks(s->dataflow, s->gpu, at);
    out->in[1] = (struct example_rows){DATAFLOW_BLOCKS, at};
    return true;
}

bool statement_rows_show_blocks(struct arena *a, const struct example_source *s, struct example_inputs *out)
{
    struct example_inputs both;
    if (!statement_rows_show_dataflow(a, s, &both))
        return false;
    out->in[0] = both.in[1];
    return true;
}
