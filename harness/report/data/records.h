/* SPDX-License-Identifier: Apache-2.0 */
/* records: what a report reads of a store: the scan of all trials, and the launches of the re-timed programs. The rest
 * of this room computes from these and asks the database for little else. */
#pragma once
#include "harness/record/record_scan.h"
#include "harness/tune/duel_list.h"

enum { RECORDS_LAUNCHES = 100 }; /* most of a program that are read one by one */
struct retimed_trial {           /* a program that was timed again in fresh processes */
    int64_t trial;
    double *readings; /* of each launch its fastest slice, seconds; NAN: it failed */
    int n;
    /* That of the duel's first program times the paired ratio to it, so that the ratio of two such times is that of the
     * duel. NAN: none gave a time. */
    double median;
    int duel, place; /* where it was timed */
};
struct records {
    struct arena *a;
    struct store *s;
    struct record_scan scan;
    struct retimed_trial *retimed; /* by trial, rising */
    int nretimed;
    struct duel_list duels;  /* n 0: there was no re-timing */
    double asked_half_width; /* of their intervals; the default of the rules, unless the caller knows the plan's */
};
MUST_CHECK bool records_read(struct arena *a, struct store *s, struct records *out, struct err *err);
/* NULL: it was not re-timed. */
const struct retimed_trial *records_retimed(const struct records *r, int64_t trial);
double records_retimed_s(const struct records *r, int64_t trial); /* the median; NAN */
/* Two programs of one kernel in launches: a t-test of the paired log ratios of their duel; NAN: one program, two duels,
 * or too few launches. */
double records_launches_p(const struct records *r, int64_t one, int64_t other);
/* The launches that gave a time, into out (RECORDS_LAUNCHES); how many. */
int records_launches(const struct records *r, int64_t trial, double *out);
struct kept_program { /* trial 0, s INFINITY: there is none */
    int64_t trial;
    double s;
};
bool records_keeps_seed(const struct record_scan *s, int cell); /* keys_seed_is_kept */
/* What one would use of a cell's kernel: the arm's own best, unless the record that it started from is strictly faster:
 * of equals the authors' lookup takes the first, too. */
struct kept_program records_kept(const struct records *r, int cell, int task);
