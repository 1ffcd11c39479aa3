/* SPDX-License-Identifier: Apache-2.0 */
/* oracle: the states that TVM v0.16 made, with its answers on each (data/tvm_oracle), record by record. */
#pragma once
#include "harness/base/json.h"
#include "harness/record/tvm/tvm_log.h"

#include <stdio.h>

struct oracle {
    FILE *f;
    char *line;
    size_t cap;
    int number;             /* of the line, from 1 */
    cJSON *json;            /* the record */
    struct tvm_log_entry e; /* its steps, its id */
    const char *spec;       /* its kernel */
};
/* NAME_states.jsonl. False where it is not there: then a point is skipped. */
bool oracle_open(struct oracle *o, const char *name);
/* The next record, in a; at the end false, and all is closed. */
bool oracle_next(struct oracle *o, struct arena *a);
