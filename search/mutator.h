/* SPDX-License-Identifier: Apache-2.0 */
/* mutator: MetaSchedule's mutators (ansor.md section 11; TVM v0.16) as a table: each changes one decision of a trace,
 * or fails. Whether the changed trace still replays is for the caller to see. */
#pragma once
#include "search/tracer.h"

struct mutator {
    const char *name;
    double cpu_weight, gpu_weight;
    /* child: in keep. work: scratch. */
    bool (*apply)(const struct tracer *tr, struct arena *keep, struct arena *work, struct rng *r,
                  const struct trace *parent, struct trace *child);
};

const struct mutator *mutators(int *n);
/* Draws a mutator by weight and applies it. which (may be NULL): the index drawn. */
bool mutator_apply(const struct tracer *tr, struct arena *keep, struct arena *work, struct rng *r,
                   const struct trace *parent, struct trace *child, int *which);
