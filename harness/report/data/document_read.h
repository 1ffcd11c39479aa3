/* SPDX-License-Identifier: Apache-2.0 */
/* document_read: the document of an experiment's results: made of the records in its folder, or read back from the
 * report.json there when the records are not. */
#pragma once
#include "harness/report/data/document.h"

/* folder: of experiments, for published numbers. Refused: results of another version of the experiment; an unknown kind
 * of report; code EXIT_INCONCLUSIVE: nothing is measured yet. All in a. */
MUST_CHECK bool document_read(struct arena *a, const struct experiment *e, const char *folder, struct document *out,
                              struct err *err);
/* Of whatever results are in a folder: experiment, tier, machine, target and its settings, no more. */
MUST_CHECK bool document_head_read(struct arena *a, const char *dir, struct document *out, struct err *err);
/* Is there anything to read? */
bool document_exists(struct arena *a, const struct experiment *e);
