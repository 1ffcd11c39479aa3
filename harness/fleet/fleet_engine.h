/* SPDX-License-Identifier: Apache-2.0 */
/* fleet_engine: what a fleet is made of, and what starts its shards: Slurm, or ssh to a list of hosts. */
#pragma once
#include "harness/base/text.h"
#include "harness/fleet/fleet_job.h"
#include "harness/tune/plan.h"

enum shard_state {
    SHARD_IDLE,  /* not done, and not with the engine: never begun, or stopped */
    SHARD_WAITS, /* for a machine */
    SHARD_RUNS,
    SHARD_DONE,  /* by its records */
    SHARD_BROKEN /* cannot be gone on with, why says how */
};
struct fleet_shard {
    int number; /* from 1 */
    const char *dir;
    enum shard_state state;
    bool submitted; /* by this process */
    int64_t trials; /* recorded, as far as was seen */
    char why[320];  /* why it waits or is not done; "": nothing is known */
};

struct fleet_on {              /* what --on says */
    const char *where;         /* a partition, "" the default one; hosts, separated by commas */
    const char *bundle;        /* as `make bundle` makes it; "": on Slurm this program, for ssh the one beside it */
    const char *config;        /* of ssh; "": its own */
    const char *remote_folder; /* on hosts, for the program and the shards; "": ~/.cache/raingauge */
    double give_up_min;        /* minutes without an answer until waiting is given up */
};
struct fleet_spec { /* what a person asks for */
    const struct plan *plan;
    const char *title;        /* "table3, tier night" */
    const char *on;           /* --on */
    struct fleet_on at;       /* what it says */
    const char *identity;     /* of this program */
    const char *const *words; /* of `raingauge run`, without the shard's own; ended by NULL */
    const char *experiments;  /* folder */
    const char *const *files; /* that settings and options name, by paths from this folder; ended by NULL */
    int64_t shards;           /* 0: as many as there are usable machines */
    const char *constraint;   /* of Slurm; "" */
    double time_s;            /* limit of a task; 0: the partition's */
    bool resume, dry_run;
};

struct fleet {
    struct arena *a;
    const struct fleet_spec *spec;
    const char *results, *folder; /* absolute paths; folder: <results>/fleet */
    struct fleet_job job;
    struct fleet_shard *shards;
    const struct fleet_engine *engine;
    void *self; /* the engine's */
};

struct fleet_engine {
    const char *name;
    /* Looks for what it needs, before anything is written. *machines: that are usable. */
    MUST_CHECK bool (*open)(struct fleet *f, int *machines, struct err *err);
    /* Prints what it would do, for --dry-run. */
    MUST_CHECK bool (*show)(struct fleet *f, struct text *out, struct err *err);
    /* Starts all shards that are SHARD_IDLE, or queues them: they wait then. */
    MUST_CHECK bool (*submit)(struct fleet *f, struct err *err);
    /* Says of each shard that is not done whether it waits or runs; else it is idle. EXIT_ENVIRONMENT: no answer just
     * now. */
    MUST_CHECK bool (*look)(struct fleet *f, struct err *err);
    /* Brings the records of a shard that ended to its folder here; false: s->why says why not. NULL: they are there. */
    MUST_CHECK bool (*fetch)(struct fleet *f, struct fleet_shard *s);
    /* Says what becomes of the shards when the gatherer is stopped, half a sentence. */
    void (*left)(const struct fleet *f, struct text *out);
    /* Ends what cannot go on without this process; may be NULL. */
    void (*close)(struct fleet *f);
};
