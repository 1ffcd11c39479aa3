/* SPDX-License-Identifier: Apache-2.0 */
/* training_set: records of files by kernel, some kernels held out, for `raingauge train`. A file holds record lines
 * (harness/record/tvm/tvm_log.h) or is a recording (harness/plug/recording.h), plain or packed by gzip. Records whose
 * steps do not apply, or that hold no time, are counted and left out; the first one of a file that does not apply is
 * warned of, with file, line and, where it is known, column. */
#pragma once
#include "harness/base/vec.h"
#include "harness/cli/cli.h"
#include "harness/plug/candidate.h"
#include "harness/plug/sample.h"
#include "harness/program/schedule/limits.h"

struct training_task {
    const struct task *task;
    bool held; /* out of training */
    VEC(struct candidate) candidates;
    VEC(struct sample) samples; /* one time each */
};
struct training_set {
    struct arena *arena;
    VEC(struct training_task) tasks; /* in the order in which they are met */
    int records;                     /* that are here */
    int untimed, refused;            /* left out: without a time; not applied */
    const char *reason;              /* of the first that was not applied, with its place; NULL: none */
    struct limits limits;            /* of the first record's machine, as far as it says */
};

/* Adds a file. task: a task line for every record line, or NULL. The records of a set are all of GPUs or none is. A
 * damaged recording is refused whole: its last line vouches for it. */
MUST_CHECK bool training_set_add(struct training_set *s, struct cli *c, const char *file, const char *task,
                                 struct err *err);
/* Holds out the kernels of a network, when a network has that name, or those with the text in their name or task line.
 * False: there is neither. */
MUST_CHECK bool training_set_hold(struct training_set *s, struct cli *c, const char *word, struct err *err);
/* Names of the kernels of a network that are trained on; *out in the arena of c. */
MUST_CHECK bool training_set_leaks(const struct training_set *s, struct cli *c, const char *network, const char ***out,
                                   int *n, struct err *err);
void training_set_free(struct training_set *s);
