/* SPDX-License-Identifier: Apache-2.0 */
/* status: what a campaign's database says of its progress, read beside the writer. */
#pragma once
#include "harness/base/json.h"
#include "harness/record/tally.h"

/* What a campaign does, or did when it was stopped, in this order. */
enum status_phase { STATUS_BEGIN, STATUS_SEARCH, STATUS_RETIMING, STATUS_FINISHED };

struct status {
    const char *folder, *stem, *tier, *target, *hash; /* hash: of the experiment */
    bool is_running;                                  /* a process holds the writer's lock */
    pid_t pid;
    int cells, cells_done;
    int64_t trials, planned; /* recorded; at most planned (a search may end early, a shared descent costs nothing) */
    int64_t failed;
    double elapsed_s; /* cell clocks added up */
    double left_s;    /* at the pace so far; NAN unknown */
    enum status_phase phase;
    const char *where; /* "resnet18, ansor, seed 1" of the running cell, "duels, 12 readings", or "" */
    double
        best_s; /* sum of weight*best kernel time of the running cell; INFINITY until every task has a valid record */
    const struct tally_failure *failures;
    int nfailures;
};
/* Trials in <dir>/records.db, those of its last seconds left out, whose writer may be on another machine: no lock is
 * taken and no file is made beside it, as the -shm file of a database is not shared between machines. So this is for a
 * progress line and decides nothing. False, without a reason, where there is no such file or it was being written just
 * now. */
bool status_glance(const char *dir, int64_t *trials);
MUST_CHECK bool status_read(struct arena *a, const char *dir, struct status *out, struct err *err);
void status_print(const struct status *s, struct text *out); /* some lines for people */
cJSON *status_json(const struct status *s);
extern const struct json_member status_members[]; /* of that JSON */
