/* SPDX-License-Identifier: Apache-2.0 */
/* claims_tap: the verdicts of a paper's claims, as TAP 13 for prove and as JSON. A claim is one test: ok when it is
 * REPRODUCED in one of its forms, not ok when it is NOT REPRODUCED or INVALID, SKIP when it is NOT MEASURED, TODO when
 * it is INCONCLUSIVE. */
#pragma once
#include "harness/base/text.h"
#include "harness/claims/claim_lookup.h"

struct claims_tap {
    const struct claims *claims;
    const struct claim_lookup *lookups;  /* one a claim */
    const struct claim_lookup_run *runs; /* nruns of them: results they rest on */
    int nruns;
    int count[VERDICT_COUNT];
    enum verdict_kind headline; /* the worst of the headline claims */
};
struct claims_tap claims_tap_make(const struct claims *c, const struct claim_lookup *e);
void claims_tap_print(const struct claims_tap *d, struct text *t);
void claims_tap_json(const struct claims_tap *d, struct text *t);
/* The exit status: 1 something is NOT REPRODUCED, else 3 INVALID, else 4 something is INCONCLUSIVE or NOT MEASURED,
 * else 0. */
enum exit_code claims_tap_code(const struct claims_tap *d);
