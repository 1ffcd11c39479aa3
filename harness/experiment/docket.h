/* SPDX-License-Identifier: Apache-2.0 */
/* docket: the verdicts of a paper's claims, as TAP 13 for prove and as JSON. A claim is one test: ok when it is
 * REPRODUCED in one of its forms, not ok when it is NOT REPRODUCED or INVALID, SKIP when it is NOT MEASURED, TODO when
 * it is INCONCLUSIVE. */
#pragma once
#include "harness/base/text.h"
#include "harness/experiment/evidence.h"

struct docket {
    const struct claims *claims;
    const struct evidence *evidence; /* one a claim */
    int count[VERDICT_COUNT];
    enum verdict_kind headline; /* the worst of the headline claims */
};
struct docket docket_make(const struct claims *c, const struct evidence *e);
void docket_tap(const struct docket *d, struct text *t);
void docket_json(const struct docket *d, struct text *t);
/* The exit status: 1 something is NOT REPRODUCED, else 3 INVALID, else 4 something is INCONCLUSIVE or NOT MEASURED,
 * else 0. */
enum exit_code docket_code(const struct docket *d);
