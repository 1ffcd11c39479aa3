/* SPDX-License-Identifier: Apache-2.0 */
/* kin: what the sketch rules ask about a stage and its neighbours in a state (ansor.md 1.5 and TVM's policy utils).
 * Consumers are looked up through inlined stages, since those vanish into their readers. Stage = position
 * in s->stages, which is also the position of its op in s->dag. Nothing is allocated; all is safe from several threads
 * on different states. */
#pragma once
#include "harness/program/schedule.h"

#define KIN_MAX 256 /* stages a state may have; sketch generation refuses more */

/* Ascending, no repeats, at most KIN_MAX; returns the number. */
int kin_consumers(const struct state *s, int stage, int out[KIN_MAX]);
/* The only consumer; if there are several, the root stage they share; else -1. */
int kin_single_consumer(const struct state *s, int stage);
/* Exactly one consumer, element-wise matched, not both reductions, the consumer no ".shared" copy. *consumer may be
 * NULL. */
bool kin_matched_consumer(const struct state *s, int stage, int *consumer);

bool kin_is_compute(const struct state *s, int stage); /* no placeholder */
bool kin_is_output(const struct state *s, int stage);
bool kin_is_inlineable(const struct state *s, int stage); /* strictly */
bool kin_needs_tiling(const struct state *s, int stage);  /* multi-level tiling */
bool kin_is_tiled(const struct state *s, int stage);      /* iterators differ in number from the op's axes */
bool kin_has_reduce(const struct state *s, int stage);    /* some iterator is not spatial */
bool kin_has_cache_write(const struct state *s, int stage);
/* Products of spatial and of reduce extents of the stage's iterators as they stand. A reduce extent counts -1 in
 * adaptive pooling: a quirk of TVM, see kin.c. */
void kin_lengths(const struct state *s, int stage, int64_t *spatial, int64_t *reduce);
/* Where the stage of a history step stands now: later CHR, CHW, RF have shifted it. */
int kin_stage_now(const struct state *s, int step);
/* Two nested parallel loops under one root: invalid on CPUs. */
bool kin_nested_parallel(const struct state *s);
