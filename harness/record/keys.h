/* SPDX-License-Identifier: Apache-2.0 */
/* keys: what an experiment file decides of a campaign and of each of its cells. A row of a table below is all there is
 * to such a key: its name in YAML files with type, default, range and help, its column in records.db, and its place in
 * the text whose SHA-256 is the experiment's hash. harness/experiment reads and hashes by these rows, the plan carries
 * the values, and the store keeps and compares them. Rows marked `derived` follow from others.
 *
 * When a hash changes, records and reports are no longer recognised: rows stay in their order.
 * A new column raises SCHEMA_VERSION (schema.h). */
#pragma once
#include "harness/base/settings.h"
#include "harness/program/lower/lower.h"
#include "harness/record/database.h"

/* How the trials of a cell are shared among its kernels (harness/tune/scheduler.h). */
enum scheduler_kind { SCHEDULER_GRADIENT, SCHEDULER_ROUND_ROBIN, SCHEDULER_SEQUENTIAL };

/* The members, so that a plan and a stored campaign have them under their own names too. */
#define CAMPAIGN_KEYS                                                                                                  \
    const char *stem, *tier, *machine; /* of the experiment's file; of the machine's file */                           \
    const char *target, *target_settings;                                                                              \
    int threads; /* of a kernel, 0 = all */                                                                            \
    enum layout_mode layout;
struct campaign_keys {
    CAMPAIGN_KEYS
};
#define CELL_KEYS                                                                                                      \
    const char *network, *arm;                                                                                         \
    int64_t seed; /* of this repetition; every kernel's random stream is derived from (network, arm, seed, kernel) */  \
    const char *searcher, *searcher_settings; /* settings as text, "" none */                                          \
    const char *model, *model_settings;       /* model "" none */                                                      \
    int64_t trials;                           /* of the whole cell; in a plan 0: trials_per_task * kernels */          \
    int64_t trials_per_task;                  /* SCHEDULER_SEQUENTIAL: budget of each kernel; 0: trials / kernels */   \
    int64_t batch;                            /* trials of a round, at most */                                         \
    enum scheduler_kind scheduler;                                                                                     \
    int explore_cell;       /* an earlier cell with the same kernels whose records seed this one, or -1 */             \
    int64_t k;              /* the seed of a kernel is its best among the first k records; 0: all of them */           \
    bool k_plus_one;        /* the authors' off-by-one: k + 1 records are considered */                                \
    bool share;             /* a kernel whose seed equals that of a cell that ran before reuses its descent */         \
    const char *conditions; /* under which it builds and times, where not the campaign's (struct conditions, plan.h)   \
                             */
struct cell_keys {
    CELL_KEYS
};
extern const struct setting campaign_key_table[], cell_key_table[];

/* Which code generator of target cpu these settings name: "tvm", the default (targets/cpu/cpu.c), or "fast"; NULL for
 * other targets. */
const char *keys_codegen(const char *target, const char *target_settings);
/* Do they ask for builds beside runs where cores are spared (targets/cpu/cpu.c)? */
bool keys_overlap(const char *target_settings);

/* Of the rows with a column: "a TEXT NOT NULL, b INTEGER NOT NULL" for CREATE TABLE, "a, b" for SELECT and INSERT, and
 * the values of an INSERT, "'x', 2". */
void keys_definitions(const struct setting *table, struct text *sql);
void keys_columns(const struct setting *table, struct text *sql);
void keys_values(const struct setting *table, const void *keys, struct text *sql);
/* "SELECT <columns>, <rest>", in a: statements are known by their address (database.h). */
const char *keys_select(struct arena *a, const struct setting *table, const char *rest);
/* Reads the columns of keys_columns, the first of which is number 0 of the query; how many they are. Strings in a. */
MUST_CHECK bool keys_read(const struct setting *table, const struct query *q, struct arena *a, void *keys, int *columns,
                          struct err *err);
/* Name of the first column in which the two differ; NULL: none. */
const char *keys_difference(const struct setting *table, const void *x, const void *y);
/* Does a descent measure its seeds again before it starts (setting `seed: retimed` of a searcher)? */
bool keys_seed_is_retimed(const char *searcher_settings);
/* May a descent keep the record that it was given? Not where it measures its seeds again, nor where these were timed
 * under other conditions: then what one would use is among its own records. explorer: the cell of these; NULL: none. */
bool keys_seed_is_kept(const struct cell_keys *descent, const struct cell_keys *explorer);
/* A program in a duel: of its state, and of the conditions of its cell but for the regime, which is that of the duels.
 */
uint64_t keys_program(uint64_t state_hash, const char *conditions);
