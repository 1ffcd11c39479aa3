/* SPDX-License-Identifier: Apache-2.0 */
/* pacm_kind: the network of models pacm and moa: PaCM whole, or with one of its two inputs left out together with the
 * layers that read it, as in the ablations of the paper's Table 12. The paper does not say whether its ablations kept
 * the layers; without their input these would add a constant. */
#pragma once
#include "models/learner.h"

struct pacm_parts {
    bool statements, dataflow;
};
/* Rows for a model's table. S: its options' struct, whose member is a struct pacm_parts. */
#define PACM_PARTS_SETTINGS(S, member)                                                                                 \
    BOOL_SETTING("statement_features", S, member.statements, "true",                                                   \
                 "it sees 174 features of each statement (false: an ablation of Pruner's Table 12)"),                  \
        BOOL_SETTING("dataflow_features", S, member.dataflow, "true",                                                  \
                     "it sees the blocks of data flow (false: another)")
/* name: of the model, for messages. A file holds one of the three networks and fits no other. False: nothing is left.
 */
MUST_CHECK bool pacm_kind_make(const char *name, struct pacm_parts parts, struct learner_kind *out, struct err *err);
