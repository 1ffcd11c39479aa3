/* SPDX-License-Identifier: Apache-2.0 */
/* claim_cure: the command that would measure a claim. */
#pragma once
#include "harness/claims/claims.h"
#include "harness/plug/registry.h"

struct claim_cure_plan; /* of an experiment's tier */
struct claim_lookup_options {
    const struct registry *registry;
    const char *folder;      /* of experiments */
    const char *tier;        /* NULL: the best there is */
    const char *const *sets; /* "key=value", as the runs were made with; nsets of them */
    int nsets;
    const struct released_results
        *released;                 /* of the authors' files: for claims without a measurement; NULL: none given */
    struct claim_cure_plan *plans; /* those that claim_cure has read; NULL at first */
};
/* "to measure it: raingauge run EXPERIMENT --tier T --set ...": the tier is the one that was asked for, else judge or
 * full; --set adds the claim's machine, k, networks, and the seeds of one network, where that tier lacks them. For
 * another machine than this one it says which. */
const char *claim_cure(struct arena *a, struct claim_lookup_options *o, const struct claim *c);
