/* SPDX-License-Identifier: Apache-2.0 */
/* verdicts: the claims that an experiment tests, judged by the numbers of its report, as a table of it. */
#pragma once
#include "harness/plug/registry.h"
#include "harness/report/data/document.h"

/* Fills the table of verdicts, the hash of the claims, and `unjudged` where there are none; folder: of experiments. The
 * verdicts that a file read back had are made anew, the hash that stood in it when it was written stays. */
void verdicts_fill(struct document *d, const struct registry *registry, const char *folder);
