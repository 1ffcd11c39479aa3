/* SPDX-License-Identifier: Apache-2.0 */
/* tvm_export: the trials of a results folder as record lines of TVM's auto_scheduler, format v0.6, in the bytes that
 * TVM writes. An imported campaign comes out as it came in. */
#pragma once
#include "harness/record/store.h"

/* What an imported campaign is of, the text of an event: JSON with `files`, and what its lines had in common: `target`,
 * `host`, `hardware` (TVM's eight parameters), `layout`, `inputs` (JSON text: the names of inputs, or null) and
 * `keys`, from task line to workload key. */
#define STORE_EVENT_IMPORTED "imported"

struct tvm_export_options {
    const char *arm, *network;                /* NULL: all */
    const char *trials;                       /* only these: a JSON list of their ids; NULL: all */
    bool (*lines)(void *ctx, struct text *t); /* takes what is in t and empties it; false: no more is wanted */
    void *ctx;
};
struct tvm_export_sums {
    int64_t records, reindexed; /* reindexed: left out, since TVM has no step RI */
};
/* In the order of measuring. False: the records cannot be read, or are of a target that TVM has not. */
MUST_CHECK bool tvm_export(struct store *s, const struct tvm_export_options *o, struct tvm_export_sums *sums,
                           struct err *err);
