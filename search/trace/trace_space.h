/* SPDX-License-Identifier: Apache-2.0 */
/* trace_space: MetaSchedule's search space (harness/doc/metaschedule.md, "Traces"; TVM v0.16 src/meta_schedule). A
 * program is a list of instructions, given by its design space, with the decisions of those that sample: how to tile a
 * loop, where to compute a stage, how far to unroll, to which extents loops are made parallel and vector loops.
 * Replaying a trace applies its instructions and then the postprocessors (postproc.h); what comes out is an ordinary
 * state with ordinary steps, which is all that is measured and recorded.
 *
 * Design spaces are the sketches of space.h: on CPUs MetaSchedule's rules (auto inline, rfactor, multi-level tiling
 * SSRSRS with a write cache that may be at levels 1 and 2) give the structures of Ansor's, and so they do on GPUs
 * (SSSRRSRS bound to blocks, virtual threads and threads, inputs fetched through shared memory, cross-thread
 * reduction). What differs is what is sampled, when, and what the postprocessors make of it. Deviations: README.md of
 * the folder search. */
#pragma once
#include "search/sketch/location.h"
#include "search/sketch/space.h"
#include "search/trace/trace.h"

struct trace_options { /* part of the options of searchers over this space; rows by TRACE_SETTINGS */
    int64_t max_innermost, max_jobs_per_core, max_vectorize;
    const char *structure;
};
#define TRACE_SETTINGS(S, member)                                                                                      \
    INT_SETTING("max_innermost_factor", S, member.max_innermost, "64", 1, 1 << 20,                                     \
                "cap on the innermost part of a tile"),                                                                \
        INT_SETTING("max_jobs_per_core", S, member.max_jobs_per_core, "16", 1, 1 << 20,                                \
                    "extent of parallel loops at first, times the cores"),                                             \
        INT_SETTING("max_vectorize_extent", S, member.max_vectorize, "64", 1, 4096,                                    \
                    "extent of vector loops at most, in elements"),                                                    \
        STRING_SETTING("structure", S, member.structure, "SSRSRS", "tile structure, S spatial and R reduce parts")

struct trace_space { /* the space of one task; immutable once open, so that many threads may draw from it */
    struct space space;
    struct trace_options options;
    struct trace_layout *layouts; /* space.nsketches */
    int64_t parallel;             /* what every fresh trace has: cores * max_jobs_per_core */
};
/* The defaults of TRACE_SETTINGS. */
struct trace_options trace_defaults(void);
/* a: lives as long as the space. False: as space_open. */
MUST_CHECK bool trace_space_open(struct trace_space *ts, struct arena *a, const struct task *task,
                                 const struct limits *limits, const struct trace_options *options, struct err *err);

/* A trace in a with every sampling decision open; parallel and vector extents as the rule sets them. */
struct trace trace_fresh(const struct trace_space *ts, struct arena *a, int layout);
struct trace trace_copy(const struct trace_space *ts, struct arena *a, const struct trace *t);
/* Replays t, sampling open decisions with r (NULL: there are none) in the order of the instructions; a location that
 * is no more becomes the nearest one outside it. t then holds what was decided. The state, in a, has its bounds
 * inferred and may refer to t->at; NULL: invalid. bounds_s, reason: as in space.h. */
struct state *trace_replay(const struct trace_space *ts, struct arena *a, struct trace *t, struct rng *r,
                           double *bounds_s, struct err *reason);
/* The same without the postprocessors. choices, where not NULL: the locations each of layout->nstages stages had. */
struct trace_choice {
    int n;
    int64_t at[LOCATION_MAX + 2]; /* ascending: inline, root, then loops of the consumer, outermost first */
};
struct state *trace_structure(const struct trace_space *ts, struct arena *a, struct trace *t, struct rng *r,
                              struct trace_choice *choices, double *bounds_s, struct err *reason);
/* The trace that replays to these steps: records hold nothing else. False: none does. A parallel extent that is not
 * the rule's comes back as the least one with the same effect; an unroll limit that no loop shows as 0. */
bool trace_find(const struct trace_space *ts, struct arena *a, const struct step *steps, int n, struct trace *out);

/* The loops that could be parallel around each stage: products of the leading spatial extents, outermost first, cut
 * once one reaches the limit (MetaSchedule's AnalyzeParallel). */
struct trace_band {
    int n;
    int64_t product[2 * ITERS_MAX];
};
/* s: as trace_structure left it. Returns the number of bands, at most s->nstages. */
int trace_bands(const struct state *s, int64_t limit, struct trace_band *out);
