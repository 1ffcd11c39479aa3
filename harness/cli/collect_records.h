/* SPDX-License-Identifier: Apache-2.0 */
/* collect_records: record files of TVM to a recording (harness/plug/recording.h): the program of each record (its
 * steps), its times and its outcome. */
#pragma once
#include "harness/base/err.h"

struct collect_records_options {
    const char *const *files; /* TVM's record lines, plain or packed */
    int nfiles;
    const char *machine, *architecture; /* records of another architecture (-arch=sm_80) are passed over; NULL: none */
    const char *revision, *output;
};
struct collect_records_sums {
    int records, rows, ok, repeated, other, refused; /* repeated: a program that is there; other: of another device */
    int kernels;
};
/* The programs of record files, each once, with their times. record_task finds their kernels. */
MUST_CHECK bool collect_records(const struct collect_records_options *o, struct collect_records_sums *sums,
                                struct err *err);
