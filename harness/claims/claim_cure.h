/* SPDX-License-Identifier: Apache-2.0 */
/* claim_cure: what a plan lacks of a claim, and the command that would measure it. */
#pragma once
#include "harness/claims/claims.h"
#include "harness/experiment/experiment.h"
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
/* The arm of the plan that the claim is about: in a report of one pair the first that starts from another's records;
 * NULL: there is none. */
const struct arm *claim_arm(const struct experiment *e, const struct claim *c);
/* A claim of no k, or of no one network, takes none. */
bool claim_has_k(const struct arm *arm, const struct claim *c);
bool claim_has_network(const struct experiment *e, const struct claim *c);
