/* SPDX-License-Identifier: Apache-2.0 */
/* verbs: the tables. The order is that of the help: first what a person needs first. */
#include "harness/cli/verbs.h"

const struct verb *const verbs[] = {
    &verb_doctor,    &verb_list,    &verb_show,      &verb_plan,    &verb_run,     &verb_status, &verb_report,
    &verb_query,     &verb_claims,  &verb_best,      &verb_replay,  &verb_collect, &verb_train,  &verb_import,
    &verb_export,    &verb_ranking, &verb_reanalyse, &verb_nightly, &verb_compare, &verb_merge,  &verb_archive,
    &verb_landscape, &verb_bench,   &verb_serve,     &verb_help,    &verb_doc,     NULL};

const struct setting common_options[] = {
    FLAG_SETTING("--json", struct cli, json, "JSON on stdout", .group = GROUP_OUTPUT),
    FLAG_SETTING("--quiet", struct cli, quiet, "no progress and no messages but warnings", .group = GROUP_OUTPUT),
    FLAG_SETTING("--verbose", struct cli, verbose, "more messages", .group = GROUP_OUTPUT),
    FLAG_SETTING("--no-color", struct cli, no_color, "no colours, as with NO_COLOR", .group = GROUP_OUTPUT),
    STRING_SETTING("--experiments", struct cli, experiments, NULL, "folder of the experiments", .word = "DIR",
                   .group = GROUP_EXPERIMENT),
    STRINGS_SETTING("--plugin", struct cli, plugins,
                    "shared object with searchers or cost models (harness/doc/exec.md); may be repeated",
                    .word = "FILE", .group = GROUP_EXPERIMENT),
    {0}};

const struct exit_meaning exit_meanings[] = {{EXIT_FINE, "fine"},
                                             {EXIT_REGRESSION, "a claim or a record failed, or a regression"},
                                             {EXIT_USAGE, "wrong usage or configuration"},
                                             {EXIT_INVALID, "the measurement is invalid"},
                                             {EXIT_INCONCLUSIVE, "inconclusive, or not measured"},
                                             {EXIT_INTERNAL, "an internal error"},
                                             {EXIT_CHANGED, "the machine changed, and not the program"},
                                             {EXIT_ENVIRONMENT,
                                              "the environment: a full disk, a host that does not answer, a missing "
                                              "library, a machine that another campaign measures on"},
                                             {EXIT_INTERRUPTED, "interrupted; the work done is kept"},
                                             {EXIT_FINE, NULL}};

const char *const group_titles[GROUP_COUNT] = {
    [GROUP_VERB] = "Options", [GROUP_EXPERIMENT] = "What and where", [GROUP_OUTPUT] = "Output"};

const struct verb *verb_find(const char *name, struct err *err)
{
    const char *names[64];
    int n = 0;
    for (; verbs[n]; n++) {
        if (str_eq(verbs[n]->name, name))
            return verbs[n];
        names[n] = verbs[n]->name;
    }
    str_unknown(err, "verb", name, names, n);
    return NULL;
}
