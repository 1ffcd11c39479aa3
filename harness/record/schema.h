/* SPDX-License-Identifier: Apache-2.0 */
/* schema: the tables of records.db, version 9. README.md explains every column; foreign readers rely on it, so a change
 * raises SCHEMA_VERSION, and records of another one are refused. The columns of campaign and cell that an experiment's
 * keys fill are in keys.c. */
#pragma once

#define SCHEMA_VERSION 9

/* What campaign and cell have beside the columns of their keys. */
#define SCHEMA_CAMPAIGN                                                                                                \
    "experiment_hash TEXT NOT NULL, regime TEXT NOT NULL, is_virtual INTEGER NOT NULL, revision TEXT NOT NULL,"        \
    " environment TEXT NOT NULL, created_unix REAL NOT NULL"
#define SCHEMA_CELL "state TEXT NOT NULL, elapsed_s REAL NOT NULL, cpu_s REAL NOT NULL"

/* All tables but campaign and cell. */
#define SCHEMA_SQL                                                                                                     \
    "CREATE TABLE task(cell INTEGER NOT NULL, task INTEGER NOT NULL, spec TEXT NOT NULL, name TEXT NOT NULL,"          \
    " weight REAL NOT NULL, flops REAL NOT NULL, seed_trial INTEGER NOT NULL, shared_cell INTEGER NOT NULL,"           \
    " state TEXT NOT NULL, PRIMARY KEY(cell, task)) WITHOUT ROWID;"                                                    \
    "CREATE TABLE round(cell INTEGER NOT NULL, round INTEGER NOT NULL, task INTEGER NOT NULL, task_round INTEGER"      \
    " NOT NULL, rng TEXT NOT NULL, model_rng TEXT NOT NULL, asked INTEGER NOT NULL, begin_s REAL NOT NULL,"            \
    " end_s REAL, PRIMARY KEY(cell, round)) WITHOUT ROWID;"                                                            \
    "CREATE TABLE trial(id INTEGER PRIMARY KEY, cell INTEGER NOT NULL, task INTEGER NOT NULL, round INTEGER NOT NULL," \
    " ordinal INTEGER NOT NULL, task_ordinal INTEGER NOT NULL, steps TEXT NOT NULL, hash TEXT NOT NULL,"               \
    " outcome TEXT NOT NULL, message TEXT NOT NULL, seconds TEXT NOT NULL, mean_s REAL, build_s REAL NOT NULL,"        \
    " run_s REAL NOT NULL, verify_s REAL NOT NULL, cost_s REAL NOT NULL, model_score REAL, elapsed_s REAL NOT NULL,"   \
    " wall_s REAL NOT NULL, unix_s REAL NOT NULL, spared_s REAL NOT NULL, cached_s REAL"                               \
    " NOT NULL, computed_s REAL NOT NULL, full_s REAL NOT NULL, alone_s REAL NOT NULL, UNIQUE(cell, ordinal), "        \
    "UNIQUE(cell, task, "                                                                                              \
    "task_ordinal));"                                                                                                  \
    "CREATE TABLE event(id INTEGER PRIMARY KEY, cell INTEGER NOT NULL, round INTEGER NOT NULL, kind TEXT NOT NULL,"    \
    " name TEXT NOT NULL, seconds REAL, text TEXT NOT NULL, unix_s REAL NOT NULL);"                                    \
    "CREATE INDEX event_cell ON event(cell, round);"                                                                   \
    "CREATE TABLE counter(trial INTEGER NOT NULL, name TEXT NOT NULL, present INTEGER NOT NULL, value REAL,"           \
    " reason TEXT NOT NULL, PRIMARY KEY(trial, name)) WITHOUT ROWID;"                                                  \
    "CREATE TABLE duel(duel INTEGER PRIMARY KEY, network TEXT NOT NULL, seed INTEGER NOT NULL, task INTEGER NOT NULL," \
    " null_pair INTEGER NOT NULL);"                                                                                    \
    "CREATE TABLE duel_program(duel INTEGER NOT NULL, place INTEGER NOT NULL, trial INTEGER NOT NULL, hash TEXT"       \
    " NOT NULL, PRIMARY KEY(duel, place, trial)) WITHOUT ROWID;"                                                       \
    "CREATE TABLE duel_launch(duel INTEGER NOT NULL, launch INTEGER NOT NULL, place INTEGER NOT NULL, sitting INTEGER" \
    " NOT NULL, regime TEXT NOT NULL, turns TEXT NOT NULL, outcome TEXT NOT NULL, message TEXT NOT NULL, seconds TEXT" \
    " NOT NULL, unix_s REAL NOT NULL, PRIMARY KEY(duel, launch, place)) WITHOUT ROWID;"                                \
    "PRAGMA user_version = 9;"
