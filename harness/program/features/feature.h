/* SPDX-License-Identifier: Apache-2.0 */
/* feature: the 164 numbers per written buffer that describe a lowered nest to a cost model (harness/doc/ansor.md,
 * "Features").
 *
 * Values are already on the output scale: sign-preserving log2(1 + |x|) on numeric fields, flags raw. The nest must be
 * lowered with LAYOUT_NONE: layout rewrite is no part of what TVM featurises. A state that cannot be lowered is for the
 * caller to show as one row of zeros (feature_none). Not thread-safe in a; different arenas may run side by side. */
#pragma once
#include "harness/program/ir/nest.h"

#define FEATURE_WIDTH 164
#define FEATURE_BUFFERS 5       /* buffers described per row */
#define FEATURE_BUFFER_WIDTH 18 /* fields of each */
#define FEATURE_CURVE 10        /* samples of the arithmetic-intensity curve */

/* Where the groups begin. */
enum feature_group {
    FEATURE_COUNTS = 0, /* 16 operation counts */
    FEATURE_VECTOR = 16,
    FEATURE_UNROLL = 27,
    FEATURE_PARALLEL = 38,
    FEATURE_GPU = 49,
    FEATURE_BUFFER = 57,
    FEATURE_INTENSITY = 147,
    FEATURE_ALLOC = 157,
    FEATURE_OUTER = 161
};

struct footprints; /* footprint.h */
struct features {
    int rows;
    float *at; /* rows * FEATURE_WIDTH, in the arena given */
};

/* One row per buffer that the nest writes. Fails on nests deeper than 64 loops only. */
MUST_CHECK bool feature_extract(struct arena *a, const struct nest *n, struct features *out, struct err *err);
/* The same, and watch->store is called at each store in the order of the walk, before later stores are known of. ops:
 * its float operations in one turn; turns: of all loops around it. What is given lasts for the call only. */
struct feature_watch {
    void (*store)(void *ctx, const struct stmt *s, const struct footprints *touched, double ops, double turns);
    void *ctx;
};
MUST_CHECK bool feature_extract_watched(struct arena *a, const struct nest *n, const struct feature_watch *watch,
                                        struct features *out, struct err *err);
struct features feature_none(struct arena *a); /* one all-zero row: a state that could not be lowered */
void feature_names(struct text *out);          /* a JSON list of all, as TVM calls them: "B0.bytes" */
void feature_header(struct text *out);         /* "id\trow\tf0 ... f163\n", the dump format of data/tvm_oracle */
void feature_print(const char *id, const struct features *f, struct text *out); /* one line per row */
