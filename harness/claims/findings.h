/* SPDX-License-Identifier: Apache-2.0 */
/* findings: a paper on one page: what it claims beside what was seen here and by which runs, the runs that ask why,
 * and what remains open and for how many hours. An INVALID run has no findings, and what speaks against a number stands
 * beside it. */
#pragma once
#include "harness/claims/claim_lookup.h"

struct findings_input {
    struct arena *a;
    const struct claim_lookup_options *look; /* registry and folder are there */
    const struct claims *claims;
    struct claim_lookup_book *book;
    const struct claim_lookup *lookups; /* one a claim */
};
/* All print lines of Markdown, which are not broken; a run is a link that holds in the folder of results.
 * An item: what became of the claims that the paper stands or falls with. */
void findings_opening(const struct findings_input *in, struct text *out);
/* Under a heading: what explains the difference, and what the open claims would take. */
void findings_why(const struct findings_input *in, struct text *out);
/* Under a heading: what was seen of each claim, by which runs on which machines, and what speaks against it. */
void findings_seen(const struct findings_input *in, struct text *out);
