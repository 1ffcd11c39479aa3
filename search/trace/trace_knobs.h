/* SPDX-License-Identifier: Apache-2.0 */
/* trace_knobs: Droplet's axes over the decisions of a seed that is a trace of MetaSchedule's space
 * (harness/doc/droplet.md, "The grid from a trace"): every sampled length of every tile, the extents for parallel and
 * vector loops, every unroll pragma. A point is replayed as a trace, so that locations and marks follow the new tiles.
 */
#pragma once
#include "harness/plug/searcher.h"
#include "search/exploit/knob.h"
#include "search/trace/trace_space.h"

enum { TRACE_KNOBS_PARALLEL = -2, TRACE_KNOBS_VECTOR = -3 }; /* a knob's place; its step is -1 */

struct trace_knobs {
    const struct candidate *seed;
    struct trace_space traces;
    struct trace trace; /* the seed's */
};
/* False: the seed is no trace of its task's space with the default settings (an Ansor schedule, say). a: lives as long
 * as k; seed outlives it. */
bool trace_knobs_open(struct trace_knobs *k, struct arena *a, const struct candidate *seed,
                      const struct limits *limits);
/* The axes in the order of the trace's instructions; at most max. */
int trace_knobs_list(const struct trace_knobs *k, struct arena *a, struct knob *out, int max);
/* The candidate with knob i at values[point[i]], steps in a. Where the changed trace does not replay, the seed's own
 * steps with the new lengths (knobs_candidate). */
struct candidate trace_knobs_candidate(const struct trace_knobs *k, struct arena *a, const struct knob *knobs, int n,
                                       const int *point);
