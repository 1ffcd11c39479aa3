/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/cli/record_source.h"

bool record_source_open(const char *path, struct record_task *identity, const char *task, struct record_source *out,
                        struct err *err)
{
    *out = (struct record_source){0};
    return metaschedule_looks(path) ? metaschedule_open(path, identity, task, &out->traces, err)
                                    : tvm_log_looks(path, err) && tvm_log_open(path, &out->log, err);
}

enum tvm_log_line record_source_next(struct record_source *s, struct arena *a, struct tvm_log_entry *out, bool *unknown,
                                     struct err *err)
{
    *unknown = false;
    return s->traces ? metaschedule_next(s->traces, a, out, unknown, err) : tvm_log_next(s->log, a, out, err);
}

void record_source_close(struct record_source *s)
{
    if (s->traces)
        metaschedule_close(s->traces);
    tvm_log_close(s->log);
}
