/* SPDX-License-Identifier: Apache-2.0 */
/* released_claims: what the papers say beside what the released files give (harness/doc/droplet.md, "Claims", C1 to
 * C10). The verdict is about these files alone: the authors' one run a cell, unverified outputs, their clock. */
#pragma once
#include "harness/base/text.h"
#include "harness/released/droplet/outliers.h"

enum released_claim_verdict {
    RELEASED_CLAIM_HOLDS,
    RELEASED_CLAIM_DOUBTFUL, /* holds with, and not without, kernels that should not be believed; or on average only */
    RELEASED_CLAIM_FAILS,
    RELEASED_CLAIM_SILENT /* nothing in the files speaks to it */
};
extern const char *const released_claim_words[]; /* "holds", "doubtful", "fails", "not in these files" */

struct released_claim {
    const char *id, *claim, *machine; /* machine "" for all */
    enum released_claim_verdict verdict;
    double value; /* the number that decides, NaN none */
    const char *found;
};
struct released_claims {
    struct released_claim *all;
    int n;
};
/* In a. */
void released_claim_make(struct arena *a, const struct reanalysis *x, const struct outliers *s,
                         struct released_claims *out);
