/* SPDX-License-Identifier: Apache-2.0 */
/* record_lines: our own records as lines that readers of record files know (harness/record/tvm/tvm_log.h), so that a
 * verb that takes a record file takes a results folder, too. */
#pragma once
#include "harness/base/arena.h"
#include "harness/base/err.h"

#include <stdio.h>

/* The folder of a run that is named by itself, or by the records in it (DIR/records.db, DIR/records.db.xz), in a;
 * NULL: no run has records there. */
const char *record_folder(struct arena *a, const char *path);
/* A record file for reading, at its start (unpack_open), or the records of a run: a line a trial, in the order of
 * measuring, with its kernel, its layout and what it calls itself (id: the trial's). Those are left out whose schedules
 * are not kept; it is an error when none is left. */
MUST_CHECK bool record_lines_open(const char *path, FILE **out, struct err *err);
