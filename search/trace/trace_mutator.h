/* SPDX-License-Identifier: Apache-2.0 */
/* trace_mutator: MetaSchedule's mutators (harness/doc/metaschedule.md, "Mutators"; TVM v0.16) as a table: each changes
 * one decision of a trace, or fails. Whether the changed trace still replays is for the caller to see. */
#pragma once
#include "search/trace/trace_space.h"

struct trace_mutator {
    const char *name;
    double cpu_weight, gpu_weight;
    /* child: in keep. work: scratch. */
    bool (*apply)(const struct trace_space *ts, struct arena *keep, struct arena *work, struct rng *r,
                  const struct trace *parent, struct trace *child);
};

enum { TRACE_MUTATORS = 5 };
extern const struct trace_mutator trace_mutators[TRACE_MUTATORS];
const struct trace_mutator *trace_mutator_draw(const struct trace_space *ts, struct rng *r); /* by weight */
