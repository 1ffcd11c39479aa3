/* SPDX-License-Identifier: Apache-2.0 */
/* record: one measured trial as the store keeps it, and the text forms of its parts. */
#pragma once
#include "harness/base/arena.h"
#include "harness/base/err.h"
#include "harness/base/text.h"
#include "harness/plug/candidate.h"
#include "harness/plug/sample.h"

#include <stdint.h>

struct record {
    int64_t id;                    /* of the row in table trial */
    int cell, task;                /* ordinals; of the cell that really ran it when a descent is shared */
    int round;                     /* number of the round in the cell */
    int64_t ordinal, task_ordinal; /* 0-based, in the cell and among the trials of the task */
    const char *steps;             /* JSON array, step.h */
    uint64_t hash;                 /* of the state text */
    struct sample sample;
    double elapsed_s; /* cell clock when the trial was recorded: T_wall, or the sum of costs on a virtual target */
    double wall_s; /* elapsed_s minus that of the trial recorded before it in the cell (the first: minus 0); these add
                      up */
    double unix_s; /* 0 on a virtual target: no real time passes there */
};

/* Parses the steps. The candidate lives in a. */
MUST_CHECK bool record_candidate(struct arena *a, const struct record *r, const struct task *task,
                                 struct candidate *out, struct err *err);
/* Columns of table trial that record_row reads, in this order. */
#define RECORD_COLUMN(name, below_0) ", " #name
#define RECORD_COLUMNS                                                                                                 \
    "id, cell, task, round, ordinal, task_ordinal, steps, hash, outcome, message, seconds, model_score, elapsed_s,"    \
    " wall_s, unix_s" SAMPLE_NUMBERS(RECORD_COLUMN)
struct database;
struct query;
/* The texts are in a. */
MUST_CHECK bool record_row(const struct query *q, struct arena *a, struct record *r, struct err *err);
/* Writes r with the steps and the hash of c; r->id is set. */
MUST_CHECK bool record_insert(struct database *d, struct record *r, const struct candidate *c, struct err *err);
/* Is a better (faster and valid) than b? Ties go to the earlier trial. */
bool record_better(const struct record *a, const struct record *b);
/* JSON array of numbers, shortest form that reads back to the same double. At most SAMPLE_REPEATS are read. */
void seconds_print(const double *seconds, int n, struct text *out);
MUST_CHECK bool seconds_parse(const char *json, double *seconds, int *n, struct err *err);
/* The four words of a random state in hexadecimal, separated by blanks. */
void rng_print(const uint64_t state[4], char out[72]);
void rng_parse(const char *text, uint64_t state[4]);
