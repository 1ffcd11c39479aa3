/* SPDX-License-Identifier: Apache-2.0 */
/* plan: a campaign before it runs: cells (network x arm x seed), each over the tasks of a network. The experiment room
 * makes it from YAML; campaign.h runs it. All pointers live in the maker's arena. */
#pragma once
#include "harness/measure/regime.h"
#include "harness/plug/analyzer.h"
#include "harness/program/ops/task.h"
#include "harness/record/keys.h"
#include "harness/record/store.h"
#include "harness/stats/duel.h"

struct plan_task {
    const struct task *task;
    const char *name; /* for people; NULL: task->name */
    double weight;    /* call count */
};

struct named_files {      /* that the settings of a plug-in name (harness/experiment/named_files.h) */
    const char *fixed;    /* " NAME SHA-256" of each whose path is hashed, too; "": none. Hashed */
    const char *movable;  /* of each whose path is not. Hashed */
    const char *paths;    /* of all that are there, each with a line end */
    const char *settings; /* the settings as they are hashed: without the paths of those */
    const char *absent;   /* path of one that should be movable and cannot be read: hashed instead. NULL: none */
    const char *absent_name, *absent_settings; /* of its setting; settings without its path */
};

struct conditions {   /* under which the programs of an arm are built and timed */
    const char *text; /* in what they are not the experiment's: "layout=1, threads=2, regime number=3"; never "" */
    const char *target_settings;
    int threads;
    enum layout_mode layout;
    struct regime regime;
};

struct cell_plan {
    union { /* c->keys.network is c->network */
        struct cell_keys keys;
        struct {
            CELL_KEYS
        };
    };
    const struct plan_task *tasks;
    int ntasks;
    const struct conditions *under; /* NULL: the plan's. The cell's `conditions` are its text */
    const struct model *plug;       /* its model, for forecasts; NULL: none */
    const void *model_options;
    int usual_trials; /* of a kernel, after which its searcher usually ends (struct searcher); 0: it ends by trials */
    bool near_seed;   /* struct searcher */
    struct named_files files, model_files; /* of the searcher, of the model */
};

struct plan {
    union { /* p->keys.stem is p->stem */
        struct campaign_keys keys;
        struct {
            CAMPAIGN_KEYS
        };
    };
    const char *results_dir;     /* results/<stem> */
    const char *folder;          /* of the experiments, where files that settings name are found, too */
    const char *experiment_hash; /* SHA-256 in hex of the text that the rows of its keys give */
    struct named_files files;    /* of the target */
    const char *contents;        /* of all files that settings name: " NAME SHA-256" each; NULL, "": none */
    struct regime regime;
    int build_workers;                /* 0 = one per online core */
    struct machine_analyzer analyzer; /* of the machine's file; not hashed */
    uint64_t input_seed;
    bool share_kernels;      /* a kernel that several networks have is searched in the first of them only */
    struct duel_rules duels; /* of the re-timing; max_launches 0: there is none */
    int retime_top;          /* of each kernel of each cell, the so many fastest as tuned are re-timed; 0 is 1 */
    struct regime retime_regime;
    const struct cell_plan *cells;
    int ncells;
    const bool *elsewhere; /* of each cell: another shard runs it (shards.h). Not hashed. NULL: none */
};

bool plan_same_block(const struct cell_keys *x, const struct cell_keys *y); /* one network in one seed */
/* How many of the n cells on record are kept: those at the end that the plan lacks, of more seeds or networks, are left
 * out where none of them was started. All n, if none would be left or a shard has them. */
int plan_begun(const struct plan *p, const struct store_cell *had, int n);
/* Puts the cells that are on record first, in their order: had[i] becomes cell i. The others follow in the plan's.
 * Cells in a. False: a recorded cell is none of the plan. */
MUST_CHECK bool plan_follow(struct plan *p, struct arena *a, const struct store_cell *had, int n, struct err *err);
/* May records of its first n cells go on with the others? These must be whole blocks (see plan_order), such as more
 * seeds or networks: an arm more would not be searched beside those it is compared with. A shard would get other parts.
 */
MUST_CHECK bool plan_grows(const struct plan *p, int n, struct err *err);
/* In what order cells run: order[0 .. ncells - 1], indices of cells. The cells of one network and seed that stand side
 * by side are a block; inside it arms come in a random order (from input_seed, the block's own), except that none comes
 * before the cell that seeds it (harness/doc/measurement.md, "Order of measurements"). */
void plan_order(const struct plan *p, int *order);
bool plan_runs(const struct plan *p, int cell);                          /* here, and not in another shard */
MUST_CHECK bool plan_check_duels(const struct plan *p, struct err *err); /* part of plan_check */
const struct regime *plan_regime(const struct plan *p, int cell);        /* of its searches */
/* Errors name the cell: unknown plug-ins are not looked up here. */
MUST_CHECK bool plan_check(const struct plan *p, struct err *err);
int64_t cell_plan_trials(const struct cell_plan *c); /* most trials of the cell, as if it took no kernel */

/* Taken kernels (share_kernels): within one arm and seed a kernel is searched in the first network that has it, and the
 * later ones take its records. So a kernel's budget must not hang on its network, which plan_check tests. */
struct plan_place {
    int cell, task;
};
/* Does this cell take the records of its kernel `task`, and from where? */
bool plan_taken(const struct plan *p, int cell, int task, struct plan_place *from);
int plan_taken_count(const struct plan *p, int cell); /* kernels that this cell takes */
/* What taken kernels will do to means over networks (harness/stats/design_effect.h), before their times are known: the
 * larger of kernels of equal weight, by their FLOP, and by FLOP and calls. 1: none is taken. */
double plan_design_effect(const struct plan *p);
int64_t plan_cell_trials(const struct plan *p, int cell); /* most trials that the cell itself makes here */
int plan_retime_top(const struct plan *p);                /* at least 1 */
bool plan_has_duels(const struct plan *p);
int64_t
plan_trials(const struct plan *p); /* most trials that are made (shared descents counted as run, taken kernels not) */
bool cell_plan_same_descent(const struct cell_plan *a,
                            const struct cell_plan *b); /* all that decides a descent but k and the arm's name */
