/* SPDX-License-Identifier: Apache-2.0 */
/* campaign: runs all cells of a plan in order, with resume, and then the re-timing (duel_run.h). */
#pragma once
#include "harness/plug/registry.h"
#include "harness/record/store.h"
#include "harness/tune/plan.h"

struct campaign_options {
    bool resume;         /* go on with what the results folder holds (or start when it holds nothing) */
    bool retime;         /* begin another sitting of the duels */
    bool search_again;   /* make the disturbed searches anew (disturbed.h) */
    bool force_overlap;  /* for measure_options: overlap even where one core is all there is; for tests */
    int64_t objects_mib; /* that built objects may take in the results folder while it runs; 0: none are kept */
    const char *faults;  /* for measure_options: "crash:5,..." or "" */
    const struct remote_host *on; /* the machine that measures; NULL: this one. Its campaign and stopped are set here */
    const char *revision;         /* git revision of this binary */
    const char *claims;   /* what the paper's claims were when the run began, kept as it is; NULL or "": nothing */
    const char *versions; /* of libraries, a JSON object: {"llvm":"19.1.7",...}; "": {} */
};

/* Errors and exit codes: EXIT_USAGE (settings, files), EXIT_ENVIRONMENT (disk; records of another machine),
 * EXIT_INVALID (the first batch has no valid candidate), EXIT_INTERRUPTED (SIGINT or SIGTERM: everything measured is
 * recorded). Installs its own handlers for the two signals
 * while it runs. */
MUST_CHECK bool campaign_run(const struct registry *registry, const struct plan *plan, const struct campaign_options *o,
                             struct err *err);

/* Is every kernel's data within memory_mib of its regime? Asked before a campaign runs: the runner would find out hours
 * later. */
MUST_CHECK bool campaign_fits(const struct plan *plan, bool is_virtual, struct err *err);

/* Does the plan's target work here with its settings? The measurer would find out when it starts. */
MUST_CHECK bool campaign_target_works(const struct registry *registry, const struct plan *plan, struct err *err);

struct campaign_forecast {
    int cores;                  /* that it is about; in: 0, those that this process may use */
    bool half;                  /* in: kernels have half of them, and builds go on beside runs on the others */
    int64_t trials, most, done; /* expected; most that there can be; already recorded */
    double trial_s;             /* mean seconds of an expected trial over the whole plan (forecast.h) */
    double pace;                /* how many times as long as the forecast's constants say it takes. In: expected */
    bool measured;              /* the pace is that of the records in the results folder */
    double retiming_s;          /* expected of the re-timing */
    double left_s, most_s;      /* trials not yet recorded, and the re-timing: expected; at most */
    bool is_virtual; /* no time passes on the target: all seconds are 0, and what searching takes is not known */
};
/* "predicted time left, on a quiet machine: 3 min, with every trial that may come 5 min", or why there is no such
 * prediction; in a. */
const char *campaign_forecast_text(struct arena *a, const struct campaign_forecast *f);
/* n forecasts, of the cores and the pace (forecast_pace; 0: 1) that each has. Runs nothing. Reads the results folder
 * once if there is one. retime: with another sitting. */
void campaign_forecast(const struct plan *plan, bool is_virtual, bool retime, struct campaign_forecast *out, int n);
