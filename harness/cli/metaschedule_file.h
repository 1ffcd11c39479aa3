/* SPDX-License-Identifier: Apache-2.0 */
/* metaschedule_file: a database of TVM's MetaSchedule, two files of a folder (TVM v0.16, JSONDatabase):
 * database_workload.json, a line a workload, [structural hash, module in base64], and database_tuning_record.json, a
 * line a record, [workload, [[instructions, decisions], seconds, target, arguments]]. Read as record lines whose steps
 * are those of the trace. A record is refused whose kernel is not known, or whose trace is no program of ours, all its
 * loops, marks and packed weights. */
#pragma once
#include "harness/cli/cli.h"
#include "harness/record/tvm/record_task.h"

/* Whether it is such a folder, or its file of records, known by its form. */
bool metaschedule_looks(const char *path);
/* After what such a database is named: its folder; another path as it is. In a. */
const char *metaschedule_title(struct arena *a, const char *path);

struct metaschedule_file;
/* identity: asked for the kernels of the workloads' shapes; task: a kernel that is tried where none of these is it, a
 * task line, or NULL. Both must live as long. False: a file is missing or cannot be read. */
MUST_CHECK bool metaschedule_open(const char *path, struct record_task *identity, const char *task,
                                  struct metaschedule_file **out, struct err *err);
/* As tvm_log_next. *unknown, of a refused record: its workload is no known kernel, out->workload_key says which. */
enum tvm_log_line metaschedule_next(struct metaschedule_file *f, struct arena *a, struct tvm_log_entry *out,
                                    bool *unknown, struct err *err);
void metaschedule_close(struct metaschedule_file *f);
