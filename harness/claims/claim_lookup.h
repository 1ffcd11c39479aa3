/* SPDX-License-Identifier: Apache-2.0 */
/* claim_lookup: what the results folders say about claims. Of an experiment the folder of the best tier counts (judge,
 * full, direction, gpu, short, then smoke), unless a tier is named: its records when they are there, else the committed
 * report.json and host.json. A claim about a machine is looked up in the best tier that is of that machine's target. */
#pragma once
#include "harness/claims/claim_cure.h"
#include "harness/claims/fingerprint.h"
#include "harness/report/data/document.h"

struct claim_released { /* what the authors' files say of it, beside any measurement */
    bool given;         /* false: the files were not given, or say nothing of it */
    double value;
    struct verdict verdict;
    const char *reason, *caveat; /* caveat NULL: the number is not doubtful */
};
struct claim_lookup {
    struct evidence found;
    struct verdict verdict;
    const char *reason;       /* why this verdict */
    const char *cure;         /* what would measure it, or make its gates pass, with its command; NULL: nothing */
    const char *tier, *place; /* folder of the results; NULL: none */
    const struct document *document; /* their report; NULL: none */
    double wall;                     /* a search claim: the same ratio on the wall clock; NaN otherwise */
    double across_low, across_high;  /* 95 % over networks (or kernels) like these, for people: verdicts are by seeds */
    double half;                     /* half width of the interval over seeds, on the log scale; NaN: none */
    enum fingerprint_state changed;  /* was the claim another one when the run began */
    const struct estimate *described; /* of search time to parity: the ratio as the paper counts it, which judges
                                         nothing; NULL: it is about something else */
    const char *caveat;               /* why the number is doubtful; NULL: it is not */
    const char *measurement;          /* claims_measurement */
    struct claim_released released;
};
struct claim_lookup_book; /* results read once for many claims */

struct claim_lookup_book *claim_lookup_open(struct arena *a, const struct claim_lookup_options *o);
/* Claims that the experiment of this report tests are judged by it, whatever other results there are. */
void claim_lookup_put(struct claim_lookup_book *b, const struct document *d);
/* Finds and judges. Never fails: what cannot be read is a reason of NOT MEASURED. */
void claim_lookup_of(struct claim_lookup_book *b, const struct claims *all, const struct claim *c,
                     struct claim_lookup *out);
/* As by this tier alone, which is read once. */
void claim_lookup_in(struct claim_lookup_book *b, const struct claims *all, const struct claim *c, const char *tier,
                     struct claim_lookup *out);
/* Of all claims, in a. */
struct claim_lookup *claim_lookup_all(struct claim_lookup_book *b, struct arena *a, const struct claims *all);
struct claim_lookup_run { /* results that claims were looked up in */
    const char *place, *experiment;
    const char *begun; /* fingerprint.h; "": not recorded */
};
/* Those that were found so far. In the book's arena. */
const struct claim_lookup_run *claim_lookup_runs(struct claim_lookup_book *b, int *n);
