/* SPDX-License-Identifier: Apache-2.0 */
/* records: what a report reads of a store: the scan of all trials, and the launches of the re-timed programs. The rest
 * of this room computes from these and asks the database for little else. */
#pragma once
#include "harness/record/record_scan.h"
#include "harness/record/retiming.h"

struct retimed_trial { /* a program that was timed again in fresh processes */
    int64_t trial;
    double *readings; /* of each launch, seconds: the median of its repeats; NAN: it failed */
    int n;
    double median; /* of the launches that gave a time; NAN: none did */
};
struct records {
    struct arena *a;
    struct store *s;
    struct record_scan scan;
    struct retimed_trial *retimed; /* by trial, rising */
    int nretimed;
};
MUST_CHECK bool records_read(struct arena *a, struct store *s, struct records *out, struct err *err);
/* NULL: it was not re-timed. */
const struct retimed_trial *records_retimed(const struct records *r, int64_t trial);
double records_retimed_s(const struct records *r, int64_t trial); /* the median; NAN */
/* The launches that gave a time, into out (RETIMING_LAUNCHES); how many. */
int records_launches(const struct records *r, int64_t trial, double *out);
struct kept_program { /* trial 0, s INFINITY: there is none */
    int64_t trial;
    double s;
};
/* What one would use of a cell's kernel: the arm's own best, unless the record that it started from is strictly faster:
 * of equals the authors' lookup takes the first, too. */
struct kept_program records_kept(const struct records *r, int cell, int task);
/* What one process says: the median of its repeats, seconds; INFINITY unless it is valid. */
double records_reading(const struct sample *s);
