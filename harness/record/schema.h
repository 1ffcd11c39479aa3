/* SPDX-License-Identifier: Apache-2.0 */
/* schema: the tables of records.db, version 3. README.md explains every column; foreign readers rely on it, so a change
 * raises SCHEMA_VERSION. A version only adds tables, so that older records are read and continued: version 2 added
 * counter, version 3 twin, aa_reading and aa_stage. */
#pragma once

#define SCHEMA_VERSION 3

/* From version 1, and the end of a new one. Harmless when run twice: a kill may come between the statements. */
#define SCHEMA_SQL_2                                                                                                   \
    "CREATE TABLE IF NOT EXISTS counter(trial INTEGER NOT NULL, name TEXT NOT NULL, present INTEGER NOT NULL, value "  \
    "REAL,"                                                                                                            \
    " reason TEXT NOT NULL, PRIMARY KEY(trial, name)) WITHOUT ROWID;"                                                  \
    "PRAGMA user_version = 2;"

/* From version 2; likewise. */
#define SCHEMA_SQL_3                                                                                                   \
    "CREATE TABLE IF NOT EXISTS twin(twin INTEGER PRIMARY KEY, spec TEXT NOT NULL, name TEXT NOT NULL, steps TEXT NOT" \
    " NULL, hash TEXT NOT NULL);"                                                                                      \
    "CREATE TABLE IF NOT EXISTS aa_reading(stage TEXT NOT NULL, twin INTEGER NOT NULL, arm INTEGER NOT NULL, launch"   \
    " INTEGER NOT NULL, regime TEXT NOT NULL, outcome TEXT NOT NULL, message TEXT NOT NULL, seconds TEXT NOT NULL,"    \
    " unix_s REAL NOT NULL, PRIMARY KEY(stage, twin, arm, launch)) WITHOUT ROWID;"                                     \
    "CREATE TABLE IF NOT EXISTS aa_stage(stage TEXT PRIMARY KEY, peak_flops REAL NOT NULL, unix_s REAL NOT NULL)"      \
    " WITHOUT ROWID;"                                                                                                  \
    "PRAGMA user_version = 3;"

/* What campaign and cell have beside the columns of keys.h. */
#define SCHEMA_CAMPAIGN                                                                                                \
    "experiment_hash TEXT NOT NULL, regime TEXT NOT NULL, is_virtual INTEGER NOT NULL, revision TEXT NOT NULL,"        \
    " environment TEXT NOT NULL, created_unix REAL NOT NULL"
#define SCHEMA_CELL "state TEXT NOT NULL, elapsed_s REAL NOT NULL, cpu_s REAL NOT NULL"

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
    " wall_s REAL NOT NULL, unix_s REAL NOT NULL, UNIQUE(cell, ordinal), UNIQUE(cell, task, task_ordinal));"           \
    "CREATE TABLE final(trial INTEGER NOT NULL, launch INTEGER NOT NULL, regime TEXT NOT NULL, outcome TEXT NOT NULL," \
    " message TEXT NOT NULL, seconds TEXT NOT NULL, unix_s REAL NOT NULL, PRIMARY KEY(trial, launch)) WITHOUT ROWID;"  \
    "CREATE TABLE event(id INTEGER PRIMARY KEY, cell INTEGER NOT NULL, round INTEGER NOT NULL, kind TEXT NOT NULL,"    \
    " name TEXT NOT NULL, seconds REAL, text TEXT NOT NULL, unix_s REAL NOT NULL);"                                    \
    "CREATE INDEX event_cell ON event(cell, round);" SCHEMA_SQL_2 SCHEMA_SQL_3
