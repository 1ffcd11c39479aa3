/* SPDX-License-Identifier: Apache-2.0 */
/* duel_record: duels in the records (harness/doc/measurement.md, "Duels"): which programs meet, and the launches. Which
 * duels are null pairs (one program in two places) stands here alone; what runs a launch does not know it. */
#pragma once
#include "harness/record/store.h"

struct duel_trial { /* a trial in a duel; trials of equal state hash have the same place */
    int place;
    int64_t trial;
    uint64_t hash;
};
struct duel_record {
    const char *network;
    int64_t seed;
    int task; /* index among the network's kernels */
    bool is_null;
    int programs;                    /* places */
    const struct duel_trial *trials; /* by place and trial; a null pair has one trial in both places */
    int ntrials;
};
/* The duels of finished searches, behind those on record, in one transaction. Numbers count on. Where there were some,
 * their sitting is no longer over. n 0: nothing is done. */
MUST_CHECK bool duel_records_put(struct store *s, const struct duel_record *duels, int n, double unix_s,
                                 struct err *err);
MUST_CHECK bool duel_records_get(struct store *s, struct arena *a, struct duel_record **out, int *n, struct err *err);
/* The trials that are in duels, each once, in a. */
MUST_CHECK bool duel_trials(struct store *s, struct arena *a, int64_t **out, int *n, struct err *err);

struct duel_process {  /* what one process of a launch gave: the seconds are means of a call, by slice */
    const char *turns; /* of the whole launch, JSON */
    struct sample sample;
};
struct duel_launch_key {
    int duel, launch, sitting;
    const char *regime; /* the protocol, with the rules of slices */
    double unix_s;
};
/* The n processes of a launch, by place, in one transaction. */
MUST_CHECK bool duel_launch_put(struct store *s, const struct duel_launch_key *key, const struct duel_process *by_place,
                                int n, struct err *err);

struct duel_time { /* of one process: its fastest slice */
    int duel, launch, place, sitting;
    double seconds; /* NAN: it failed */
};
/* By duel, launch and place. */
MUST_CHECK bool duel_times(struct store *s, struct arena *a, struct duel_time **out, int *n, struct err *err);
/* Processes of all launches, and those that gave no time. */
MUST_CHECK bool duel_count_processes(struct store *s, int *all, int *failed, struct err *err);
/* Is there a launch under another protocol than this one? */
MUST_CHECK bool duel_regime_differs(struct store *s, const char *regime, bool *differs, struct err *err);
/* The machine's peak, FLOP/s, as measured beside launches. The highest of a campaign is its peak, as others on the
 * machine can only lower it; NAN: none is on record. Nothing is put where it is not known. */
MUST_CHECK bool duel_peak_put(struct store *s, double flops, double unix_s, struct err *err);
MUST_CHECK bool duel_peak(struct store *s, double *flops, struct err *err);
/* The sitting that launches belong to now: 0, and one more for each event that began another. */
MUST_CHECK bool duel_sitting(struct store *s, int *sitting, struct err *err);
MUST_CHECK bool duel_sitting_begin(struct store *s, double unix_s, struct err *err);
/* A sitting is over when its last launch has been made, until duels are added. Saying so twice is no error. */
MUST_CHECK bool duel_sitting_end(struct store *s, double unix_s, struct err *err);
/* Are there duels, and is the sitting not over? */
MUST_CHECK bool duel_awaited(struct store *s, bool *awaited, struct err *err);
