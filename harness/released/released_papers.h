/* SPDX-License-Identifier: Apache-2.0 */
/* released_papers: the papers whose released files can be read. */
#pragma once
#include "harness/released/released_paper.h"

extern const struct released_paper *const released_papers[];
extern const int released_papers_n;

/* Opens a folder as that of the first paper that has files in it. False: it cannot be listed, or no paper has. All in
 * a. */
MUST_CHECK bool released_open(struct arena *a, const char *dir, struct released_results *out, struct err *err);
/* The table of that name and the paper that it is of, or NULL. */
const struct released_table *released_table_find(const char *name, const struct released_paper **paper);
