/* SPDX-License-Identifier: Apache-2.0 */
/* claim_value: the number that a claim is about, found in the JSON of a report: one row of a table for each kind of
 * report says how. */
#pragma once
#include "harness/base/json.h"
#include "harness/claims/claims.h"

struct claim_value {
    double value;
    double low, high;               /* 95 % over seeds; 0 and infinity from one seed; NaN without a value */
    int seeds;                      /* that these rest on */
    double across_low, across_high; /* of other networks (or kernels) like these; NaN: fewer than two */
    int networks;                   /* that enter the value */
    double wall;                    /* of a ratio on the clock of records: the same on the wall clock; NaN */
};
/* place: of the results, for messages. noise: the A/A floor (NaN: none), for ties. NULL, or why there is no such
 * number, in a. */
const char *claim_value_find(struct arena *a, const cJSON *report, const char *place, const struct claim *c,
                             double noise, struct claim_value *out);
