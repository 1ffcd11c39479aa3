/* SPDX-License-Identifier: Apache-2.0 */
/* trace: a trace as an array of decisions, and where each of them stands in it. */
#pragma once
#include "search/sketch/space.h"

struct trace_layout { /* one design space: where each instruction's decision stands in trace.at */
    const struct sketch *sketch;
    const int *tile;  /* by slot of the sketch: its lengths, outer to inner, the outermost one implied */
    const int *stage; /* stages that sample a location, last first; their decisions begin at place */
    int nstages, place, unroll, parallel, vector, n;
    /* GPUs: splits (steps of the sketch) whose inner part is the threads of a block that share a reduction; stages that
     * are fetched into shared memory, with the lanes of their vectors; plain stages, with their threads of a block.
     * Each kind's decisions stand one after the other. */
    const int *across_step, *fetch_stage, *plain_stage;
    const int64_t *plain_most; /* threads of each plain stage at most */
    bool tensor;               /* for tensor cores: fetches are all copies by the threads of a block */
    int nacross, nfetch, nplain, across, fetch, plain;
};
struct trace {
    int layout;
    int64_t *at; /* decisions */
};
#define TRACE_OPEN INT64_MIN /* a decision that replaying samples */
enum { TRACE_ROOT = -1, TRACE_INLINE = -2 };
