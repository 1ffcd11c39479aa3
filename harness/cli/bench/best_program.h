/* SPDX-License-Identifier: Apache-2.0 */
/* best_program: a search for one kernel's best program, as several numbers of bench need it: an ordinary campaign
 * (ansor, xgb, target cpu, regime tvmc) in a folder of its own that is removed afterwards. The best program is timed
 * again in fresh processes, beside another target's program for the same kernel if wanted. */
#pragma once
#include "harness/cli/bench/gauge.h"
#include "harness/plug/phase.h"

enum { BEST_PROGRAM_LAUNCHES = 16 }; /* at most */
struct best_program {
    const struct task *task;
    int64_t trials, seed;
    int threads;
    /* What best_program_run found; steps in the bench's arena. */
    struct candidate best;
    double best_s;              /* as the search saw it */
    double search_s;            /* from nothing to the last record, processes and references included */
    double rounds_s;            /* the clock of the search itself, which phases add up to */
    double phases[PHASE_COUNT]; /* seconds */
    /* What best_program_time measured, a fresh process each. */
    int n;
    double ours_s[BEST_PROGRAM_LAUNCHES], theirs_s[BEST_PROGRAM_LAUNCHES]; /* medians of the repeats */
    double least_s[BEST_PROGRAM_LAUNCHES];                                 /* ours, the fastest repeat */
    double peak[BEST_PROGRAM_LAUNCHES]; /* FLOP/s of the machine just before or after ours, the higher; 0: unknown */
};
MUST_CHECK bool best_program_run(struct bench_env *b, struct best_program *h, struct err *err);
/* Times the best programs of n searches (all of the same threads) launches times under regime retime: ours, theirs,
 * ours, ... and all kernels in turn, so that a slow spell of the machine falls on all. rival: name of a target, NULL
 * none. */
MUST_CHECK bool best_program_time(struct bench_env *b, struct best_program *h, int n, int launches, const char *rival,
                                  struct err *err);
/* The peak of target cpu at this moment, in FLOP/s. Others who use the host change it up to twofold within seconds. */
struct meter {
    const struct target *target;
    void *self;
};
MUST_CHECK bool meter_open(struct bench_env *b, int threads, struct meter *out, struct err *err);
double meter_flops(const struct meter *m);
void meter_close(struct meter *m); /* fine after a failed open, when it was zero before */
/* A launch's share of the machine's peak at that moment. A peak is a maximum of short runs, so the fastest repeat
 * stands beside it: what others do on the host slows both, but not at the same instant. NaN without a peak. */
double best_program_share(const struct best_program *h, int launch);
/* Fastest repeat of all launches over the highest peak seen. While the sibling thread of the host's core is busy, a
 * kernel with loads runs at 0.6 of its speed for seconds, and the multiply-adds of the peak do not slow down. So a
 * median over launches would depend on other users of the host. NaN without a peak. */
double best_program_best_share(const struct best_program *h);
