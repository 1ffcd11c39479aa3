/* SPDX-License-Identifier: Apache-2.0 */
/* evaluations: how often a searcher had programs scored in one ask. A searcher remembers scores within a round where
 * the original it follows scores again, so both are counted: what a model was given, and what the original asks for. */
#pragma once
#include <stdint.h>

/* id, and its name in records: of the model that drafts, of the model that learns. */
#define EVALUATIONS(X)                                                                                                 \
    X(DRAFT_SCORED, "draft scored")                                                                                    \
    X(DRAFT_ASKED, "draft asked")                                                                                      \
    X(MODEL_SCORED, "model scored")                                                                                    \
    X(MODEL_ASKED, "model asked")
enum evaluation {
#define X(id, name) EVALUATION_##id,
    EVALUATIONS(X)
#undef X
        EVALUATION_COUNT
};
struct evaluations {
    int64_t at[EVALUATION_COUNT];
};
static inline const char *evaluation_name(enum evaluation e)
{
    static const char *const NAMES[] = {
#define X(id, name) name,
        EVALUATIONS(X)
#undef X
    };
    return NAMES[e];
}
