/* SPDX-License-Identifier: Apache-2.0 */
/* stage_query: what the sketch rules ask about a stage and its neighbours in a state (harness/doc/ansor.md, "Analysis
 * of the graph"; TVM's policy utils). Consumers are looked up through inlined stages, since those vanish into their
 * readers. Stage = position in s->stages, which is also the position of its op in s->dag. Nothing is allocated; all is
 * safe from several threads on different states. */
#pragma once
#include "harness/program/schedule/schedule.h"

#define STAGE_QUERY_MAX 256 /* stages a state may have; sketch generation refuses more */

/* Ascending, no repeats, at most STAGE_QUERY_MAX; returns the number. */
int stage_consumers(const struct state *s, int stage, int out[STAGE_QUERY_MAX]);
/* The only consumer; if there are several, the root stage they share; else -1. */
int stage_single_consumer(const struct state *s, int stage);
/* Exactly one consumer, element-wise matched, not both reductions, the consumer no ".shared" copy. *consumer may be
 * NULL. */
bool stage_matched_consumer(const struct state *s, int stage, int *consumer);

bool stage_is_compute(const struct state *s, int stage); /* no placeholder */
bool stage_is_output(const struct state *s, int stage);
bool stage_is_inlineable(const struct state *s, int stage); /* strictly */
bool stage_needs_tiling(const struct state *s, int stage);  /* multi-level tiling */
/* Whether a tiled stage is computed at a loop of this one. What needs tiling and is at the root itself reduces across
 * threads instead. */
bool stage_holds_tiled(const struct state *s, int stage);
int stage_root(const struct state *s, int stage);        /* whose loops stand outermost around this one */
bool stage_is_tiled(const struct state *s, int stage);   /* iterators differ in number from the op's axes */
bool stage_has_reduce(const struct state *s, int stage); /* some iterator is not spatial */
bool stage_has_cache_write(const struct state *s, int stage);
bool stage_has_annotation(const struct state *s, int stage, enum annotation a); /* some iterator carries it */
/* The stage, or one computed at its loops, reduces across threads. */
bool stage_reduces_across_threads(const struct state *s, int stage);
/* History positions of the splits of the stage, the latest first; at most so many. Returns their number. */
int stage_splits(const struct state *s, int stage, int *steps, int most);
/* Products of spatial and of reduce extents of the stage's iterators as they stand. A reduce extent counts -1 in
 * adaptive pooling: a quirk of TVM, see stage_query.c. */
void stage_lengths(const struct state *s, int stage, int64_t *spatial, int64_t *reduce);
/* Where the stage of a history step stands now: later CHR, CHW, RF have shifted it. */
int stage_now(const struct state *s, int step);
/* Two nested parallel loops under one root: invalid on CPUs. */
bool stage_nested_parallel(const struct state *s);
