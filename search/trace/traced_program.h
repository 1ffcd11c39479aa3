/* SPDX-License-Identifier: Apache-2.0 */
/* traced_program: the loops and blocks that a trace of MetaSchedule's database makes, its postprocessors' instructions
 * included. A block is TVM's: one statement and the loops around it. Nothing is computed with; it is there to be
 * compared with what the steps of a trace of ours make (trace_import.h).
 *
 * Sources: TVM v0.16 src/tir/schedule (trace.cc: AsJSON; primitive). What is not known here is refused by its name:
 * instructions, annotations, splits of a tile that leave a rest, reductions that are not started before their loops. */
#pragma once
#include "harness/base/json.h"
#include "harness/base/text.h"
#include "harness/program/schedule/state.h"

enum { TRACED_OPS = 64, TRACED_TILES = 64, TRACED_PARTS = 16, TRACED_LAYOUTS = 4 };

struct traced_tile { /* a decision of SamplePerfectTile */
    int op;          /* position in the task's dag */
    int n;
    int64_t at[TRACED_PARTS];
};
struct traced_layout { /* TransformLayout: how a weight is packed */
    int op, read;      /* of the op's reads in order, this one, without the sums so far */
    const char *map;   /* TVM's index map, saved as JSON */
};
struct traced_program {
    struct traced_tile tiles[TRACED_TILES];
    int ntiles;
    int64_t place[TRACED_OPS]; /* by op: decision of SampleComputeLocation, TRACE_OPEN: none */
    int64_t parallel, vector, unroll;
    struct traced_layout layouts[TRACED_LAYOUTS];
    int nlayouts;
    const char *loops; /* the program, in lines; NULL: no state was given */
};
/* trace: [instructions, decisions]. names: TVM's names of the blocks, by op (those of placeholders are not read).
 * s: with bounds inferred, the extents of blocks that ComputeAt moves; NULL: only the decisions are wanted. Strings in
 * a. False: an instruction is wrong or not known here; err names it by its number, from 0. */
MUST_CHECK bool traced_program_read(struct arena *a, const cJSON *trace, const struct dag *d, const char *const *names,
                                    const struct state *s, struct traced_program *out, struct err *err);
