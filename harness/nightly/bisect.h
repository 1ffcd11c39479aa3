/* SPDX-License-Identifier: Apache-2.0 */
/* bisect: which binary of a row is the first slow one: kept binaries of nights, or commits of the checkout that is the
 * current folder, each built in a worktree below the history's folder. Pinned programs only. A round launches a binary
 * in turns with both ends, NIGHT_PAIRS times each; the rule of nights (harness/stats/regression.h) says whether it is
 * slower than the first and faster than the last. What is neither or both, or does not build, is passed over as
 * `git bisect skip` does, never guessed. Values are kept under night 0, so the same command goes on. */
#pragma once
#include "harness/nightly/night_run.h"

/* good, bad: two nights or two commits. series: which of those that became slower; NULL: the one that did most. Words
 * on the result in out; err->code EXIT_INCONCLUSIVE where there is none, or not one binary. */
MUST_CHECK bool bisect_run(const struct night_options *o, const char *good, const char *bad, const char *series,
                           struct text *out, struct err *err);
