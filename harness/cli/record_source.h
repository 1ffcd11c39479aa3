/* SPDX-License-Identifier: Apache-2.0 */
/* record_source: what `import` takes as records, read alike: record files of TVM's auto_scheduler (tvm_log.h) and
 * databases of its MetaSchedule (metaschedule_file.h). */
#pragma once
#include "harness/cli/metaschedule_file.h"

struct record_source {
    struct tvm_log_file *log; /* one of them, the other NULL */
    struct metaschedule_file *traces;
};
/* identity, task: as of metaschedule_open. */
MUST_CHECK bool record_source_open(const char *path, struct record_task *identity, const char *task,
                                   struct record_source *out, struct err *err);
/* As metaschedule_next. */
enum tvm_log_line record_source_next(struct record_source *s, struct arena *a, struct tvm_log_entry *out, bool *unknown,
                                     struct err *err);
void record_source_close(struct record_source *s);
