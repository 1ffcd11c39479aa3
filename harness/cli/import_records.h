/* SPDX-License-Identifier: Apache-2.0 */
/* import_records: record files of TVM's auto_scheduler and databases of its MetaSchedule become a campaign: an
 * experiment, a network of their kernels and a results folder. Each file is an arm. Times, costs and dates are those of
 * the files. */
#pragma once
#include "harness/cli/cli.h"

struct import_records_options {
    const char *const *files; /* plain or packed by gzip; or the folder of a database */
    int nfiles;
    const char *name;    /* of experiment and network */
    const char *machine; /* that the records are of, a file of experiments/machines */
    const char *task;    /* the kernel of records whose workload key names none, a task line; NULL */
};
struct import_arm {
    const char *name, *file;
    int64_t records, valid; /* that are in; of these, with a time */
    double best_s;
};
struct import_kernel {
    const char *key, *spec, *name; /* workload key, task line, for people */
    double weight;
    int64_t records;
    bool guessed; /* only its shapes fit, and the first record's steps apply to it */
    bool traced;  /* of MetaSchedule */
    const struct task *task;
};
struct import_unknown {
    const char *key; /* workload key that is no known kernel's */
    int64_t records;
    double share; /* of all records */
};
struct import_sums {
    const char *experiment, *network_file, *results, *target;
    const char *network; /* a known one that has all these kernels, and gave their calls; NULL: none */
    int64_t records, imported, refused, unknown; /* unknown: of those refused, of no kernel that is known */
    int64_t traces, mapped;                      /* records of MetaSchedule; those whose trace is steps of ours */
    double mapped_share;                         /* NAN: there are none */
    double guessed_share;                        /* of all records */
    struct import_arm *arms;
    struct import_kernel *kernels;
    struct import_unknown *unknown_keys;
    int narms, nkernels, nunknown;
};
/* Refused records are warned of with file, line and cure. False: nothing was written. Strings in c's arena. */
MUST_CHECK bool import_records(struct cli *c, const struct import_records_options *o, struct import_sums *out,
                               struct err *err);
