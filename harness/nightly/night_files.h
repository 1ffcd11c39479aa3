/* SPDX-License-Identifier: Apache-2.0 */
/* night_files: what a night keeps beside the history: results folders of the last nights, the pinned programs of a kind
 * of night, and binaries with their experiments, for reruns. All below the folder of the history. */
#pragma once
#include "harness/nightly/night_run.h"

const char *night_files_results(const struct night_run *r);                       /* of this night */
const char *night_files_programs(const struct night_run *r);                      /* pinned ones, JSON lines */
const char *night_files_binary(const struct night_run *r, const char *hash);      /* of the kept one */
const char *night_files_experiments(const struct night_run *r, const char *hash); /* folder beside that binary */
/* Copies the binary under test and its experiments, unless they are kept already. */
MUST_CHECK bool night_files_keep_binary(struct night_run *r, struct err *err);
/* Removes results folders of this machine file's nights before the last nightly.keep, into r->removed; not of the
 * nights beside a step of any series (level_steps.h) and of accepted ones. A binary goes with the last night of any
 * machine file that keeps it, unless later reruns may take it. Values stay for good. */
MUST_CHECK bool night_files_clean(struct night_run *r, struct err *err);
