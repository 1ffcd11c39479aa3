/* SPDX-License-Identifier: Apache-2.0 */
/* tir_module: a workload of MetaSchedule: a function of TVM's TIR before anything is scheduled, as
 * te.create_prim_func makes it: blocks one after the other, each in a loop for each of its axes. Whether it computes
 * what a kernel of ours does is found out by values: blocks and stages are evaluated at the same points. */
#pragma once
#include "harness/program/ir/nest.h"
#include "harness/record/tvm/workload.h"

enum { TIR_BLOCKS = 64, TIR_AXES = 16, TIR_TENSORS = 96 };

struct tir_block {
    const char *name;
    int nspatial, nreduce;
    int64_t extents[TIR_AXES]; /* spatial ones first */
    enum reducer reducer;
    enum dtype dtype;
    const struct expr *body; /* loads are of tensors: arguments first, then what blocks write */
};
struct tir_module {
    struct tir_block blocks[TIR_BLOCKS];
    int nblocks, ninputs;
    struct workload_shape shapes[WORKLOAD_SHAPES]; /* of the inputs, then the output */
};
/* text: what TVM saved of the module, in JSON. Names in a. */
MUST_CHECK bool tir_module_read(struct arena *a, const char *text, size_t n, struct tir_module *out, struct err *err);
/* The text behind base64 as TVM writes it, 8 bytes of length in front, in a. */
MUST_CHECK bool tir_module_unpack(struct arena *a, const char *base64, char **text, size_t *n, struct err *err);
/* The same blocks in the same order: axes, reductions, types, and values at many points. */
MUST_CHECK bool tir_module_is(const struct tir_module *m, const struct task *t, struct err *err);
/* TVM's names of the blocks by position in the dag of a task that it is, in a. */
const char **tir_module_names(struct arena *a, const struct tir_module *m, const struct task *t);
/* Whether an index map that TVM saved puts the elements of a weight of ndim dimensions in the order of our packed
 * buffer (nest.h); dimensions of one element do not count. */
MUST_CHECK bool tir_map_is(struct arena *a, const char *map, const struct buffer *packed, int ndim, struct err *err);
