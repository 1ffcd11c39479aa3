/* SPDX-License-Identifier: Apache-2.0 */
/* dataset: the programs a model has been told of, as feature rows and costs, grouped by task for labelling.
 *
 * Memory: 656 bytes a row and 24 a program; nothing else is kept. Owned by malloc, freed by dataset_free. */
#pragma once
#include "harness/base/vec.h"
#include "models/feature.h"
#include "models/loss.h"

#define DATASET_FAILED 1e10 /* the cost of a failed program, seconds (TVM) */

struct dataset_task {
    uint64_t hash;
    double best; /* lowest cost seen, seconds */
};
struct dataset {
    VEC(struct dataset_task) tasks;
    VEC(int) task;    /* per program: index in tasks */
    VEC(double) cost; /* per program: seconds */
    VEC(int) first;   /* per program: its first row; one more at the end */
    VEC(float) rows;  /* FEATURE_WIDTH each */
    VEC(float) label; /* per program, filled by dataset_label */
};

void dataset_add(struct dataset *d, uint64_t task_hash, const float *rows, int nrows, double cost);
/* Recomputes all labels, min cost of the task / cost, and returns the programs with them; valid until the next add. */
struct packs dataset_label(struct dataset *d);
static inline int dataset_programs(const struct dataset *d)
{
    return d->cost.n;
}
static inline int dataset_rows(const struct dataset *d)
{
    return d->rows.n / FEATURE_WIDTH;
}
void dataset_free(struct dataset *d);
