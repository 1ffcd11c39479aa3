/* SPDX-License-Identifier: Apache-2.0 */
/* collect: makes a recording (harness/plug/recording.h): candidates of a task set that a searcher proposes, measured on
 * a target. */
#pragma once
#include "harness/cli/named_option.h"
#include "harness/measure/measure.h"
#include "harness/plug/recording.h"
#include "harness/tune/plan.h"

struct collect_options {
    const struct target *target;
    const char *target_settings;
    struct regime regime;
    int threads, layout;
    const struct searcher *searcher;
    const char *searcher_settings;
    const struct model *model; /* NULL: none */
    const struct model *draft; /* that the searcher drafts with; NULL: none */
    const char *draft_settings;
    int64_t seed;
    struct recording_head head; /* limits are filled in; per_task: candidates of each kernel */
    const struct task *const *tasks;
    const char *output;
    bool resume;
};
struct collect_sums {
    int rows, ok, kept; /* kept: of an earlier run */
};
/* Rounds of 64 candidates, kernel after kernel. Killed at any time, --resume goes on at the last complete round, and
 * the file comes out as if nothing had happened (on a virtual target to the byte). */
MUST_CHECK bool collect_measure(const struct collect_options *o, struct collect_sums *sums, struct err *err);
