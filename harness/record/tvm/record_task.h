/* SPDX-License-Identifier: Apache-2.0 */
/* record_task: the kernel that a record is of. A record may describe it (kind, desc), name it (a function with numbers,
 * a case of data/tvm_oracle), or give TVM's workload key, a hash of the graph and the shapes. */
#pragma once
#include "harness/program/schedule/state.h"
#include "harness/record/tvm/tvm_log.h"

struct record_task;
/* known: task lines of kernels that are asked first for a key (those of networks); not copied. task: a line that holds
 * for every record, or NULL. */
struct record_task *record_task_open(const char *const *known, int nknown, const char *task);
void record_task_close(struct record_task *id);

struct found_task {
    const char *const *specs; /* task lines, the likely first; until the next call */
    int n;
    bool certain; /* the record says it, or its hash is that of the kernel; else only the shapes fit */
};
/* False: the record does not say, with the reason. */
MUST_CHECK bool record_task_find(struct record_task *id, const struct tvm_log_entry *e, struct found_task *out,
                                 struct err *err);
/* The state that the record's steps make of a kernel, in a, with its bounds. False: they do not apply, or split an axis
 * of the kernel as if it had another length, and so are of another kernel. */
MUST_CHECK bool record_task_apply(struct arena *a, const struct task *task, const struct tvm_log_entry *e,
                                  struct state **out, struct err *err);
/* The task line of a case of data/tvm_oracle/cuda_states.jsonl; NULL: no such case. */
const char *record_task_case(const char *name);
