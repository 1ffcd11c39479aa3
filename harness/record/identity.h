/* SPDX-License-Identifier: Apache-2.0 */
/* identity: which kernel a record is of. A record may describe it (kind, desc), name it (a function with numbers, a
 * case of data/tvm_oracle), or give TVM's workload key, a hash of the graph and the shapes. */
#pragma once
#include "harness/record/tvmlog.h"

struct identity;
/* known: task lines of kernels that are asked first for a key (those of networks); not copied. task: a line that holds
 * for every record, or NULL. */
struct identity *identity_open(const char *const *known, int nknown, const char *task);
void identity_close(struct identity *id);

struct identified {
    const char *const *specs; /* task lines, the likely first; until the next call */
    int n;
    bool certain; /* the record says it, or its hash is that of the kernel; else only the shapes fit */
};
/* False: the record does not tell, with the reason. */
MUST_CHECK bool identity_find(struct identity *id, const struct tvmlog_entry *e, struct identified *out,
                              struct err *err);
/* The task line of a case of data/tvm_oracle/cuda_states.jsonl; NULL: no such case. */
const char *identity_case(const char *name);
