/* SPDX-License-Identifier: Apache-2.0 */
/* verbs: the table of all verbs, and what holds for every one of them: common options, exit codes. */
#pragma once
#include "harness/cli/cli.h"

extern const struct verb verb_doctor, verb_list, verb_show, verb_plan, verb_run, verb_status, verb_report, verb_query,
    verb_claims, verb_best, verb_replay, verb_collect, verb_train, verb_import, verb_export, verb_ranking,
    verb_reanalyse, verb_nightly, verb_compare, verb_merge, verb_archive, verb_landscape, verb_bench, verb_serve,
    verb_help, verb_doc;

extern const struct verb *const verbs[];                         /* ended by NULL */
const struct verb *verb_find(const char *name, struct err *err); /* NULL: unknown; err has the nearest name */

/* Ended by {0}; offsets are in struct cli. --json stands first. */
extern const struct setting common_options[];
struct exit_meaning {
    enum exit_code code;
    const char *meaning;
};
extern const struct exit_meaning exit_meanings[]; /* ended by a NULL meaning */
extern const char *const group_titles[GROUP_COUNT];
