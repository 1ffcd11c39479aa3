/* SPDX-License-Identifier: Apache-2.0 */
/* store: the records of one experiment in one SQLite file, <dir>/records.db. The schema is in README.md of this folder.
 *
 * Durability: WAL; every trial is one transaction. On real targets synchronous=FULL: a trial that was recorded survives
 * kill -9 and a power cut. On virtual targets synchronous=NORMAL: kill -9 loses nothing either, a power cut may take
 * the last trials (they cost no time to repeat) but cannot corrupt the file.
 *
 * One process writes (an fcntl lock on <dir>/records.lock), any number read meanwhile.
 * All errors name the file. Nothing here ever deletes a file or a row. Strings read back live in the caller's arena. */
#pragma once
#include "harness/base/cpu_contention.h"
#include "harness/plug/evaluations.h"
#include "harness/plug/phase.h"
#include "harness/record/campaign_row.h"
#include "harness/record/record.h"

#include <sys/types.h>

struct store;

struct store_task {
    const char *spec, *name;
    double weight, flops;
    int64_t seed_trial; /* id of the record a descent starts from; 0 none */
    int shared_cell;   /* its records are those of that cell, -1: of this one. Of the same network: a descent of another
                          k that serves here too. Of another network: a taken kernel (harness/tune/plan.h) */
    const char *state; /* "" not finished, "done", "dead" (the search ended before the budget), "no seed" */
};
struct store_cell {            /* the order of the plan */
    union {                    /* c->keys.network is c->network */
        struct cell_keys keys; /* trials: never 0 */
        struct {
            CELL_KEYS
        };
    };
    const struct store_task *tasks;
    int ntasks;
    const char *state;       /* "" not started, "running", "done" */
    double elapsed_s, cpu_s; /* cell clock and CPU seconds of the parent process at the last thing recorded */
    int64_t trials_done;     /* records of this cell itself (shared descents and taken kernels not counted) */
};
struct store_round {
    int number, task;
    int task_round;                 /* 0-based among the rounds of the task */
    uint64_t rng[4], model_rng[4];  /* before ask */
    int asked, measured;            /* measured: records present */
    double begin_s, end_s;          /* cell clock; end_s NAN until the round is complete */
    struct evaluations evaluations; /* of its ask; written with the round, read by tally_evaluations only */
};

/* Opening ---------------------------------------------------------------------------------------------------- */
enum store_open_mode {
    STORE_NEW,    /* refused when the folder already holds a database */
    STORE_RESUME, /* continue the records, or start when the folder holds none. With another hash than c's, the caller
                     compares the cells and calls store_adopt */
};
/* Makes the folder. Refuses another experiment's database, another schema version, a corrupted file (PRAGMA
 * quick_check), a second writer. */
MUST_CHECK bool store_open(const char *dir, const struct store_campaign *c, enum store_open_mode mode,
                           struct store **out, struct err *err);
/* Read-only; works beside a writer and in a folder that cannot be written. Where there is no records.db, records.db.xz
 * is read (`raingauge archive`). */
MUST_CHECK bool store_open_read(const char *dir, struct store **out, struct err *err);
bool store_exists(const char *dir);             /* can records be read there, packed ones too */
bool store_begun(const char *dir);              /* is there a records.db, which a run goes on with */
bool store_writer(const char *dir, pid_t *pid); /* is a process writing here, and which */
void store_close(struct store *s);              /* NULL is fine */
/* Of a store that writes: are its files still those that were opened, so that what was recorded can be found? Called at
 * the ends of rounds and cells and for each reading of a re-timing; costs two calls of stat. */
MUST_CHECK bool store_safe(struct store *s, struct err *err);

/* From now on these are records of the experiment with this hash; an event keeps the one before. All of it
 * or nothing. */
MUST_CHECK bool store_adopt(struct store *s, const char *hash, double unix_s, struct err *err);

/* Writing ---------------------------------------------------------------------------------------------------- */
/* Adds cell number `ordinal` with its tasks, or checks that the stored one is the same (then nothing is written). */
MUST_CHECK bool store_cell_put(struct store *s, int ordinal, const struct store_cell *c, struct err *err);
/* Removes the cells from number n on, none of which is started. */
MUST_CHECK bool store_cells_keep(struct store *s, int n, struct err *err);
MUST_CHECK bool store_cell_state(struct store *s, int cell, const char *state, double elapsed_s, double cpu_s,
                                 struct err *err);
MUST_CHECK bool store_task_state(struct store *s, int cell, int task, const struct store_task *t,
                                 struct err *err); /* seed, shared, state */
MUST_CHECK bool store_round_begin(struct store *s, int cell, const struct store_round *r, struct err *err);
struct store_spent {              /* until a round's end */
    double end_s, cpu_s;          /* cell clock and CPU seconds of the parent process */
    double cached_s;              /* of the clock: for builds that were found, as if they had been made */
    const double *phases;         /* [PHASE_COUNT], of the round; NULL: none to book */
    bool fill;                    /* the round was interrupted: what of its time no phase has booked goes to "other" */
    struct cpu_contention others; /* during the round */
};
/* Completes the round: asked becomes the number of its records. */
MUST_CHECK bool store_round_end(struct store *s, int cell, int round, const struct store_spent *spent, struct err *err);
/* Adds phase seconds to a round that is not complete (an interruption). */
MUST_CHECK bool store_phases_add(struct store *s, int cell, int round, const double phases[PHASE_COUNT],
                                 struct err *err);
/* One transaction. r->id is set. steps as parsed steps. */
MUST_CHECK bool store_trial(struct store *s, struct record *r, const struct candidate *c, struct err *err);
/* Trials between the two are one transaction, of an import: what is measured is written one by one. */
MUST_CHECK bool store_trials_begin(struct store *s, struct err *err);
MUST_CHECK bool store_trials_end(struct store *s, bool fine, struct err *err); /* as database_end */
#define STORE_EVENT_CLAIMS "claims" /* what the paper's claims were when the campaign began */
#define STORE_EVENT_FILES "files"   /* what was in the files that settings name: plan.contents */
/* kind: "resume", "interrupt", "note", STORE_EVENT_CLAIMS, ...; cell and round may be -1. */
MUST_CHECK bool store_event(struct store *s, int cell, int round, const char *kind, const char *text, double unix_s,
                            struct err *err);

/* The text of the first event of this kind, in a; "" when there is none. */
MUST_CHECK bool store_event_text(struct store *s, struct arena *a, const char *kind, const char **out, struct err *err);

/* Reading ---------------------------------------------------------------------------------------------------- */
const struct store_campaign *store_campaign(const struct store *s); /* lives as long as s */
MUST_CHECK bool store_cells(struct store *s, struct arena *a, struct store_cell **out, int *n, struct err *err);
MUST_CHECK bool store_rounds(struct store *s, struct arena *a, int cell, struct store_round **out, int *n,
                             struct err *err);
/* Which records: of a task, or of a whole cell without what is shared or taken from elsewhere. A task whose records are
 * another cell's has those. */
struct store_part {
    int cell, task; /* task -1: the whole cell */
    int64_t first;  /* so many of them, in order of measuring; 0: all */
};
/* Those with an ordinal of `from` or more. */
MUST_CHECK bool store_records(struct store *s, struct arena *a, struct store_part of, int64_t from, struct record **out,
                              int *n, struct err *err);
MUST_CHECK bool store_record(struct store *s, struct arena *a, int64_t id, struct record *out, struct err *err);
/* The best valid record of a task's; *found false when there is none. */
MUST_CHECK bool store_best(struct store *s, struct arena *a, struct store_part of, struct record *out, bool *found,
                           struct err *err);
struct database;
struct database *store_database(struct store *s); /* for the record room */
/* Changes cell and task of a part to those that hold its records: itself, or where they are shared or taken from. A
 * part of a whole cell stays as it is. */
MUST_CHECK bool store_home(struct store *s, struct store_part *part, struct err *err);
/* Is the kernel taken from another network? */
bool store_taken(const struct store_cell *cells, int n, int cell, int task);
