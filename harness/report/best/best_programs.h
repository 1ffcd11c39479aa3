/* SPDX-License-Identifier: Apache-2.0 */
/* programs: the best program of each kernel of a campaign, and how sure it is the best. */
#pragma once
#include "harness/report/data/records.h"

struct kernel_best {
    const char *network, *name, *spec; /* of the kernel */
    int kernel;                        /* its number in the network */
    double calls, flops;               /* of the network to it; of a call */
    const char *arm, *searcher;        /* whose program it is */
    int64_t seed, trial;
    const char *steps;            /* JSON */
    double tuned_s;               /* mean of its repeats in the search: too low, as it was chosen for it */
    double retimed_s;             /* median of its launches beside its rivals'; NAN: it was not re-timed */
    int launches, rivals;         /* fresh processes that timed it; other programs of its duel */
    double next;                  /* time of the fastest rival over its own; NAN: none */
    double p;                     /* of a t-test over launches that the two are equal; NAN: none, or too few launches */
    double seconds;               /* retimed_s, or tuned_s where that is not known */
    double gflops, share_of_peak; /* at `seconds`; of the peak measured beside the re-timing, or NAN */
    double flop_per_byte;         /* operations over the bytes of the arguments, each read or written once */
    const char *sure;             /* a word of best_program_words */
    const char *settings;         /* of the target, for its conditions */
    int threads;
    enum layout_mode layout;
};
/* "yes": faster than each rival (p < 0.05); "tied": the fastest rival may be as fast; "alone": re-timed without a
 * rival; "not re-timed". */
extern const char *const best_program_words[];
/* In the order of networks and kernels, in a; kernels without a valid program are left out. network: of this one only;
 * NULL: of all. s may be closed then. */
MUST_CHECK bool best_programs_read(struct arena *a, struct store *s, const char *network, struct kernel_best **out,
                                   int *n, struct err *err);
