/* SPDX-License-Identifier: Apache-2.0 */
/* retime: the re-timing in rounds, which duels have replaced (duel_run.h). It serves experiments that ask for
 * `launches`: nightly records and older ones. After all searches the fastest programs of every kernel, and the seeds of
 * descents, are timed again in fresh processes (launches), all under one regime: the authors timed seed and descent
 * under different ones. With more than one retimed program of a kernel, what an arm lost by choosing by its own
 * readings can be told (selection loss, harness/report/data/selection_loss.h). */
#pragma once
#include "harness/tune/cell.h"

/* Are all readings on record such as the plan's re-timing has? Those with fewer launches are: they can be added. */
MUST_CHECK bool retime_fits(const struct cell_env *env, bool *fit, struct err *err);
/* Times what has fewer than plan->launches launches so far, so that a resume goes on where it stopped. Then each
 * program is run once more for its counters, where there are collectors. */
MUST_CHECK bool retime_run(const struct cell_env *env, struct err *err);
/* Runs a recorded program once for its counters, where there are collectors and it has none on record. */
MUST_CHECK bool retime_count(const struct cell_env *env, int64_t trial, const struct task *task, struct err *err);
