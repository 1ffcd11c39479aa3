/* SPDX-License-Identifier: Apache-2.0 */
/* step: the fourteen transform steps of TVM's auto_scheduler (harness/doc/ansor.md, "The fourteen steps") and RI, which
 * is ours: one row each in an X-macro table, parse and print in the JSON form of TVM's records:
 * ["SP", 3, 0, 64, [2, 2, 4], 1]. */
#pragma once
#include "harness/base/arena.h"
#include "harness/base/json.h"
#include "harness/base/text.h"

#include <stdbool.h>
#include <stdint.h>

/* code, fields after the stage id in the order of the record: i iter, t target stage, e extent, v value, w value2, l
 * int list, b flag (0 or 1), s text */
#define STEPS(X)                                                                                                       \
    X(AN, "iv")                                                                                                        \
    X(FU, "l")                                                                                                         \
    X(PR, "is")                                                                                                        \
    X(RE, "l")                                                                                                         \
    X(SP, "ielb")                                                                                                      \
    X(FSP, "ivw")                                                                                                      \
    X(FFSP, "ilvb")                                                                                                    \
    X(SA, "ivw")                                                                                                       \
    X(CA, "ti")                                                                                                        \
    X(CI, "")                                                                                                          \
    X(CR, "")                                                                                                          \
    X(CHR, "sl")                                                                                                       \
    X(CHW, "s")                                                                                                        \
    X(RF, "iv")                                                                                                        \
    X(RI, "v")

enum { STEP_LIST_MAX = 64, STEPS_MAX = 4096 };
enum step_kind {
#define X(id, fields) STEP_##id,
    STEPS(X)
#undef X
        STEP_COUNT
};

/* Fields by kind (others are 0):
 *  AN   iter, value = annotation code          FU   list = consecutive iterators
 *  PR   iter, text ("auto_unroll_max_step$N"), value = N       RE   list = permutation
 *  SP   iter, extent (0 unknown), list = lengths (0 = placeholder), flag = inner_to_outer
 *  FSP  iter, value = source step index, value2 = n_split
 *  FFSP iter, list = source step indices, value = level, flag = factor (1) or nparts (0)
 *  SA   iter, value = factor, value2 = offset   CA   target, iter = target iterator
 *  CI CR   nothing     CHR  text = scope, list = reader stages     CHW  text = scope     RF  iter, value = factor
 * position     RI   value = what extents become multiples of (reindex.h) */
struct step {
    enum step_kind kind;
    int stage, iter, target;
    int64_t extent, value, value2;
    bool flag;
    int n;
    const int64_t *list;
    const char *text;
};

const char *step_code(enum step_kind k);
void steps_print(const struct step *steps, int n, struct text *out); /* JSON array */
/* Copies into a. Limits: 4096 steps, lists of 64, numbers in +-2^40. */
MUST_CHECK bool steps_parse(struct arena *a, const cJSON *json, struct step **out, int *n, struct err *err);
struct step *steps_copy(struct arena *a, const struct step *steps, int n); /* deep */
int step_new_stages(enum step_kind k);                                     /* CHR CHW RF: 1, RI: 3, others: 0 */
