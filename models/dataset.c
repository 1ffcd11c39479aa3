/* SPDX-License-Identifier: Apache-2.0 */
/* dataset: growing arrays. Labels are recomputed at each training (harness/doc/ansor.md, "Cost model"), because a new
 * best program lowers the label of every older one of its task.
 *
 * Deviation: a task whose every program failed gets labels 0. TVM divides 1e10 by 1e10 there and teaches the model,
 * with full weight, that failures are perfect. */
#include "models/dataset.h"

#include <math.h>
#include <string.h>

static int task_index(struct dataset *d, uint64_t hash)
{
    for (int i = 0; i < d->tasks.n; i++)
        if (d->tasks.at[i].hash == hash)
            return i;
    vec_push(&d->tasks, (struct dataset_task){hash, INFINITY});
    return d->tasks.n - 1;
}

void dataset_add(struct dataset *d, uint64_t task_hash, const float *rows, int nrows, double cost)
{
    if (!(cost < DATASET_FAILED))
        cost = DATASET_FAILED;
    int task = task_index(d, task_hash), floats = nrows * FEATURE_WIDTH;
    if (d->first.n == 0)
        vec_push(&d->first, 0);
    vec_push(&d->task, task);
    vec_push(&d->cost, cost);
    int end = vec_last(&d->first) + nrows;
    vec_push(&d->first, end);
    vec_push(&d->label, 0);
    if (d->rows.n + floats > d->rows.cap)
        d->rows.at = vec_grow(d->rows.at, &d->rows.cap, d->rows.n + floats, sizeof *d->rows.at);
    memcpy(d->rows.at + d->rows.n, rows, sizeof *rows * (size_t)floats);
    d->rows.n += floats;
    if (cost < d->tasks.at[task].best)
        d->tasks.at[task].best = cost;
}

struct packs dataset_label(struct dataset *d)
{
    for (int i = 0; i < d->cost.n; i++) {
        double best = d->tasks.at[d->task.at[i]].best;
        d->label.at[i] = best < DATASET_FAILED ? (float)(best / d->cost.at[i]) : 0;
    }
    return (struct packs){.n = d->cost.n, .first = d->first.at, .label = d->label.at};
}

void dataset_free(struct dataset *d)
{
    vec_free(&d->tasks);
    vec_free(&d->task);
    vec_free(&d->cost);
    vec_free(&d->first);
    vec_free(&d->rows);
    vec_free(&d->label);
}
