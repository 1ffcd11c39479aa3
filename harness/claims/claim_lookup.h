/* SPDX-License-Identifier: Apache-2.0 */
/* claim_lookup: what the results folders say about claims. Of an experiment the folder of the best tier counts (full,
 * short, then smoke), unless a tier is named: its records when they are there, else the committed report.json and
 * host.json. */
#pragma once
#include "harness/claims/claims.h"
#include "harness/plug/registry.h"
#include "harness/released/reanalysis.h"
#include "harness/report/data/document.h"

struct claim_lookup_options {
    const struct registry *registry;
    const char *folder;                /* of experiments */
    const char *tier;                  /* NULL: the best there is */
    const struct reanalysis *released; /* of the authors' files: for claims without a measurement; NULL: none given */
};
struct claim_lookup {
    struct verdict_measurement found;
    const char *tier, *place;       /* folder of the results; NULL: none */
    double wall;                    /* a search claim: the same ratio on the wall clock; NaN otherwise */
    double across_low, across_high; /* 95 % over networks (or kernels) like these, for people: verdicts are by seeds */
    struct verdict verdict;
};
struct claim_lookup_book; /* results read once for many claims */

struct claim_lookup_book *claim_lookup_open(struct arena *a, const struct claim_lookup_options *o);
/* A book that holds nothing but the numbers of this report: for the claims that its experiment tests. */
struct claim_lookup_book *claim_lookup_document(struct arena *a, const struct document *d);
/* Finds and judges. Never fails: what cannot be read is a reason of NOT MEASURED. */
void claim_lookup_of(struct claim_lookup_book *b, const struct claims *all, const struct claim *c,
                     struct claim_lookup *out);
