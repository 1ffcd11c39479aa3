/* SPDX-License-Identifier: Apache-2.0 */
/* contrast: what the papers say beside what the released files give (droplet.md section 7, C1 to C10). The verdict is
 * about these files alone: the authors' one run a cell, unverified outputs, their clock. */
#pragma once
#include "harness/base/text.h"
#include "harness/experiment/suspect.h"

enum contrast_verdict {
    CONTRAST_HOLDS,
    CONTRAST_DOUBTFUL, /* holds with, and not without, kernels that should not be believed; or on average only */
    CONTRAST_FAILS,
    CONTRAST_SILENT /* nothing in the files speaks to it */
};
const char *contrast_word(enum contrast_verdict v); /* "holds", "doubtful", "fails", "not in these files" */

struct contrast {
    const char *id, *claim, *machine; /* machine "" for all */
    enum contrast_verdict verdict;
    double value; /* the number that decides, NaN none */
    const char *found;
};
struct contrasts {
    struct contrast *all;
    int n;
};
/* In a. */
void contrast_make(struct arena *a, const struct reanalysis *x, const struct suspects *s, struct contrasts *out);
