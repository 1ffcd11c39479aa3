/* SPDX-License-Identifier: Apache-2.0 */
/* rule: the sketch rules (harness/doc/ansor.md, "Sketch rules") as a table. For a state and a stage a rule says whether
 * it applies; applying it gives new states, each with the stage to look at next. The order of a target's list is part
 * of the algorithm. */
#pragma once
#include "harness/program/schedule/limits.h"
#include "harness/program/schedule/schedule.h"

enum rule_answer {
    RULE_SKIP,  /* does not apply */
    RULE_APPLY, /* applies; later rules are tried too */
    RULE_STOP   /* applies; later rules are not tried */
};

/* What rules may know besides the state. */
struct rule_env {
    struct limits limits;
    const char *structure; /* tile structure of the target */
    struct arena *arena;   /* new states live here */
};

struct partial_sketch {
    struct state *state;
    int next; /* stage to work on next; negative: a finished sketch */
};
#define RULE_RESULTS 4 /* most states that one application gives */

struct rule {
    const char *name;
    enum rule_answer (*meets)(const struct rule_env *env, const struct state *s, int stage);
    /* Fills out[0..*n-1] with fresh states; s is not changed. */
    bool (*apply)(const struct rule_env *env, const struct state *s, int stage, struct partial_sketch *out, int *n,
                  struct err *err);
};

/* What GPUs have besides (gpu_rule.c). */
extern const struct rule rule_cache_read, rule_special_location, rule_cross_thread;

/* The rules for a target in order, ended by NULL. */
const struct rule *const *rules_for(const struct limits *limits);
