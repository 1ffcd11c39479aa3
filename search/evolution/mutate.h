/* SPDX-License-Identifier: Apache-2.0 */
/* mutate: the random changes of evolutionary search (harness/doc/ansor.md, "Mutations") as a table: each takes a valid
 * candidate's steps and gives changed ones, or fails. Results are not checked here: replaying them may still show that
 * they are invalid. */
#pragma once
#include "harness/base/rng.h"
#include "search/sketch/space.h"

struct genome { /* a candidate's steps */
    const struct step *steps;
    int n;
};

struct mutation {
    const char *name;
    double cpu_weight, gpu_weight;
    /* keep: receives the new steps; lists that did not change are shared with the parent. work: scratch. */
    bool (*apply)(const struct space *sp, struct arena *keep, struct arena *work, struct rng *r, struct genome parent,
                  struct genome *child);
};

enum { MUTATIONS = 4 };
extern const struct mutation mutations[MUTATIONS];
const struct mutation *mutation_draw(const struct space *sp, struct rng *r); /* by weight */
