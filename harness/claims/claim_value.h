/* SPDX-License-Identifier: Apache-2.0 */
/* claim_value: the number that a claim is about, found in the document of a report. */
#pragma once
#include "harness/claims/claims.h"
#include "harness/report/data/document.h"
#include "harness/report/data/race_tables.h"

struct claim_value {
    double value;
    double low, high;               /* 95 % over seeds; 0 and infinity from one seed; NAN without a value */
    int seeds;                      /* that these rest on */
    double df;                      /* degrees of freedom of the spread between them; of a share, of its networks */
    double across_low, across_high; /* of other networks (or kernels) like these; NAN: fewer than two */
    int networks;                   /* that enter the value */
    int searched;                   /* of a count: those that it is out of */
    int ties, pairs;                /* kernels of which both arms have the same program, of how many; 0: not known */
    struct arrivals arrivals;       /* of search time to parity: who arrives; runs 0: it is about something else */
    const struct estimate
        *described;         /* of search time to parity: the paper's own ratio, which judges nothing; or NULL */
    const char *exceptions; /* networks that are on the other side of 1 than the mean; NULL: none */
    double wall;            /* of a ratio on the clock of records: the same on the wall clock; NAN */
};
/* place: of the results, for messages. NULL, or why there is no such number, in a. */
const char *claim_value_find(struct arena *a, const struct document *d, const char *place, const struct claim *c,
                             struct claim_value *out);
