/* SPDX-License-Identifier: Apache-2.0 */
/* evidence: what the results folders say about claims. Of an experiment the folder of the best tier counts (full,
 * short, then smoke), unless a tier is named: its records when they are there, else the committed report.json and
 * host.json. */
#pragma once
#include "harness/experiment/claims.h"
#include "harness/experiment/reanalysis.h"
#include "harness/experiment/report.h"
#include "harness/plug/kit.h"

struct evidence_options {
    const struct kit *kit;
    const char *folder;                /* of experiments */
    const char *tier;                  /* NULL: the best there is */
    const struct reanalysis *released; /* of the authors' files: for claims without a measurement; NULL: none given */
};
struct evidence {
    struct verdict_evidence found;
    const char *tier, *place;       /* folder of the results; NULL: none */
    double wall;                    /* a search claim: the same ratio on the wall clock; NaN otherwise */
    double across_low, across_high; /* 95 % over networks (or kernels) like these, for people: verdicts are by seeds */
    struct verdict verdict;
};
struct evidence_book; /* results read once for many claims */

struct evidence_book *evidence_open(struct arena *a, const struct evidence_options *o);
/* A book that holds nothing but the numbers of this report: for the claims that its experiment tests. NULL on errors.
 */
struct evidence_book *evidence_report(struct arena *a, const struct report *r, struct err *err);
/* Finds and judges. Never fails: what cannot be read is a reason of NOT MEASURED. */
void evidence_of(struct evidence_book *b, const struct claims *all, const struct claim *c, struct evidence *out);
