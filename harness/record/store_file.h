/* SPDX-License-Identifier: Apache-2.0 */
/* store_file: the two files that a writer holds, records.db and records.lock, and what may happen to them meanwhile or
 * between two runs: removed, replaced, emptied, copied without their write-ahead log. Nothing here writes a row. */
#pragma once
#include "harness/base/arena.h"
#include "harness/record/database.h"

#include <sys/stat.h>

struct store_file {
    const char *path, *lock_path; /* in the arena that it was opened with */
    int lock;                     /* descriptor, -1: not held */
    struct stat file, locked;     /* as they were opened */
    double moved_s;               /* when the log was moved into the file last, clock_now() */
};
/* Takes the writer's lock. Refuses a database that is empty although its lock says that there were records. A run that
 * was killed before it recorded anything has not said so. */
MUST_CHECK bool store_file_lock(struct store_file *f, struct arena *a, const char *dir, struct err *err);
/* The database is open and holds its campaign: its lock says so from now on, and a copy of the file has it. */
MUST_CHECK bool store_file_opened(struct store_file *f, struct database *db, struct err *err);
/* A database without a campaign: fine in a new folder, else its log was lost. */
MUST_CHECK bool store_file_may_be_new(const struct store_file *f, struct err *err);
/* Are they still the files that were opened? Every few seconds moves the log into the file, so that a copy of
 * records.db alone has nearly everything. */
MUST_CHECK bool store_file_safe(struct store_file *f, struct database *db, struct err *err);
void store_file_unlock(struct store_file *f);
/* Removes the files of records from a folder in which records were being made, and the folder if that was all. */
void store_file_remove(const char *dir);
