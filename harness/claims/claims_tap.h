/* SPDX-License-Identifier: Apache-2.0 */
/* claims_tap: the verdicts of a paper's claims, as TAP 13 for prove and as JSON. A claim is one test. What was found
 * for the claim is ok, what was found against it, or is INVALID, not ok. SKIP is one that was not measured, TODO one
 * that is open, or whose side holds and whose size does not. Where nothing was measured the authors' files decide, if
 * given. */
#pragma once
#include "harness/base/json.h"
#include "harness/claims/claim_lookup.h"

struct claims_tap {
    const struct claims *claims;
    const struct claim_lookup *lookups;  /* one a claim */
    const struct claim_lookup_run *runs; /* nruns of them: results they rest on */
    int nruns;
    int tests[FINDING_COUNT];       /* how many came out so */
    const char *findings;           /* lines that are printed before the tests (findings.h); NULL: none */
    const struct verdict *headline; /* the worst of the headline claims; NULL: none of them is */
};
struct claims_tap claims_tap_make(const struct claims *c, const struct claim_lookup *e);
void claims_tap_print(const struct claims_tap *d, struct text *t);
/* " 5 TRANSFERRED (3 measurements), 41 INCONCLUSIVE (12 measurements), of 255 claims": what was measured, or what the
 * authors' files say. */
void claims_tap_count(const struct claims_tap *d, bool released, struct text *t);
void claims_tap_json(const struct claims_tap *d, struct text *t);
extern const struct json_member claims_members[]; /* of that JSON */
/* "2 not reproduced, 0 invalid, 3 open, 7 not measured". In a. */
const char *claims_tap_summary(struct arena *a, const struct claims_tap *d);
/* The exit status: 1 something was found against a claim, else 3 INVALID, else 4 something is open or not measured,
 * else 0. */
enum exit_code claims_tap_code(const struct claims_tap *d);
