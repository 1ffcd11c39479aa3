/* SPDX-License-Identifier: Apache-2.0 */
/* trace_import: a trace of MetaSchedule's database as steps of ours. Its decisions are put into each design space that
 * has room for them (trace_space.h). The steps are those of the one whose program, postprocessors included, has the
 * loops and blocks of the trace, all of them, with extents, marks and pragmas (traced_program.h). */
#pragma once
#include "search/trace/trace_space.h"
#include "search/trace/traced_program.h"

struct trace_import {
    struct state *state; /* with bounds; its steps are the trace's */
    struct traced_program program;
};
/* names: as of traced_program_read. All in a. False: err says what has no steps. */
MUST_CHECK bool trace_import(const struct trace_space *ts, struct arena *a, const cJSON *trace,
                             const char *const *names, struct trace_import *out, struct err *err);
