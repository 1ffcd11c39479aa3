/* SPDX-License-Identifier: Apache-2.0 */
/* task_data: what a runner keeps of a task: its inputs, its references, its tolerances. There are two sets of inputs:
 *
 *   CHECK  data uniform in [-1, 1): sums cancel, so that a wrong term shows. Buffers end at a guard page.
 *   TIME   data uniform in [1, 10), TVM's fill: no zeros, no denormals. Buffers begin at a guard page.
 *
 * A run is checked on CHECK before and on the very output of the timed calls, made from TIME, afterwards. Weights are
 * the same in both sets, as in a deployed network: uniform in +-sqrt(3/K), so that outputs are of the size of the data
 * and an epilogue such as relu6 clips only part of them. Deviation from TVM, which fills weights too with 1..10: every
 * output of a relu6 kernel would be 6. */
#pragma once
#include "harness/base/err.h"
#include "harness/measure/guard_pages.h"
#include "harness/measure/worker.h"

enum input_set { SET_CHECK, SET_TIME, SET_COUNT };
struct inputs {
    struct guard_pages *args; /* per argument, output last; weights are empty in TIME */
    double *reference;        /* output elements; NULL until wanted */
    double tolerance;
};
#define TASK_DATA_EXPORT_MOST(elements) (40 + 2 * 8 * (size_t)(elements)) /* bytes of exported references, at most */
struct task_data {
    char *spec;
    struct blob object; /* of the reference; n 0: the interpreter makes it */
    struct arena *arena;
    struct task *task;
    struct inputs sets[SET_COUNT]; /* args NULL: not prepared */
    bool positive;                 /* CHECK is filled from [1, 10), too */
    struct guard_pages *packed;    /* per argument: a weight re-laid-out for the candidate at hand */
    const char **names;            /* per argument, for messages */
    size_t bytes;                  /* of all buffers */
    double fastest_s;              /* of the programs timed here; 0: none yet */
    uint64_t used;                 /* when it was used last, for eviction */
};

/* The least that prepared data of this task takes, bytes: inputs, outputs, references. */
size_t task_data_bytes(const struct task *t, bool verify);
MUST_CHECK bool task_data_open(struct task_data *d, const char *spec, struct err *err);
/* Makes the inputs and, when verify, the references; points: elements checked against the interpreter. */
MUST_CHECK bool task_data_prepare(struct task_data *d, struct worker *w, bool verify, int64_t points, struct err *err);
void task_data_empty(struct task_data *d); /* frees the buffers, keeps the task and the reference's object */
/* The references of prepared data as bytes, for the same task in another process with the same seed: what kind of
 * inputs CHECK has, both tolerances, and both outputs, as floats where these hold them exactly, else as doubles. */
void task_data_export(const struct task_data *d, struct packet *out);
/* Takes what task_data_export gave into data that is not prepared. False if it is cut short or there is no memory; then
 * task_data_prepare computes the references. */
bool task_data_import(struct task_data *d, const void *bytes, size_t n);
static inline const struct guard_pages *task_data_arg(const struct task_data *d, enum input_set set, int arg)
{
    return &d->sets[d->task->is_weight[arg] ? SET_CHECK : set].args[arg];
}
