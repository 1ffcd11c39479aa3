/* SPDX-License-Identifier: Apache-2.0 */
/* traced_instruction: one instruction of a trace and what was made so far. What an instruction makes is named by a
 * letter and a number that no other has: "b12" is a block, "l3" a loop, "v7" a number. */
#pragma once
#include "harness/base/json.h"
#include "harness/program/schedule/state.h"
#include "search/trace/traced_tree.h"

enum { NAMES_MOST = 8192, LIST_MOST = 64, ROOT_BLOCK = -1, ROOT_LOOP = -1, INLINE_LOOP = -2, WEIGHT_COPY = -3 };

struct traced_name {
    char kind; /* b, l, v; 0: not there */
    int64_t value;
};
struct traced_instruction {
    const char *name;
    const cJSON *inputs, *attributes, *outputs, *decision;
};
struct traced_program;
struct trace_reading {
    struct arena *a;
    const char *const *names; /* of blocks, by op */
    const struct state *s;
    struct traced_tree tree;
    struct traced_name *named;
    struct traced_program *out;
    int copied, marked; /* weights that CacheRead copies; those of them that are said to be in another order */
};

const cJSON *traced_item(const cJSON *list, int i); /* NULL: no list, or no such item */
int traced_count(const cJSON *list);
const char *traced_word(const struct traced_instruction *in, int i); /* attribute i where it is text, else "" */

/* Input i: what was made of that kind; a block that is neither the root nor inlined; a loop that is one; all inputs,
 * loops; a whole number, as it is or by name. Refused with a reason. */
MUST_CHECK bool traced_get(const struct trace_reading *r, const struct traced_instruction *in, int i, char kind,
                           int64_t *out, struct err *err);
MUST_CHECK bool traced_get_block(const struct trace_reading *r, const struct traced_instruction *in, int *out,
                                 struct err *err);
MUST_CHECK bool traced_get_loop(const struct trace_reading *r, const struct traced_instruction *in, int i, int *out,
                                struct err *err);
MUST_CHECK bool traced_get_loops(const struct trace_reading *r, const struct traced_instruction *in,
                                 int loops[LIST_MOST], struct err *err);
MUST_CHECK bool traced_get_number(const struct trace_reading *r, const struct traced_instruction *in, int i,
                                  int64_t *out, struct err *err);
/* Names what the instruction made: all its outputs. */
MUST_CHECK bool traced_put(struct trace_reading *r, const struct traced_instruction *in, char kind,
                           const int64_t *values, int n, struct err *err);
MUST_CHECK bool traced_put_ints(struct trace_reading *r, const struct traced_instruction *in, char kind,
                                const int *values, int n, struct err *err);
