/* SPDX-License-Identifier: Apache-2.0 */
/* time_to_target: time to target, where an experiment has several seeds (practice.md 3.2, C3, and 3.3): how long each
 * arm takes, on the wall clock, until a network's kernel sum is at most q times what the explorer usually ends with. A
 * run that never gets there says "longer than its clock": right-censored (harness/stats/survival.h). */
#pragma once
#include "harness/base/text.h"
#include "harness/experiment/experiment.h"
#include "harness/record/store.h"
#include "harness/stats/survival.h"

enum { TIME_TO_TARGET_TARGETS = 4 };
extern const double time_to_target_q[TIME_TO_TARGET_TARGETS]; /* 1.00, 1.01, 1.02, 1.05 (practice.md 3.2) */

struct time_to_target_arm {
    const char *name;
    struct survival of[TIME_TO_TARGET_TARGETS];
    /* Log-rank test against the explorer, and Holm's correction over the arms of the network; NaN for itself. */
    double p[TIME_TO_TARGET_TARGETS], holm[TIME_TO_TARGET_TARGETS];
};
struct time_to_target_network {
    const char *network;
    double target_s; /* median over seeds of the explorer's last kernel sum, as tuned; q = 1.00 */
    struct time_to_target_arm *arms;
    int n; /* the explorer first; 0: nothing is done */
};
struct time_to_target {
    struct time_to_target_network *networks;
    int n; /* 0: one seed only, or no arm that explores another */
};
MUST_CHECK bool time_to_target_make(struct arena *a, const struct experiment *e, struct store *s,
                                    struct time_to_target *out, struct err *err);
void time_to_target_text(const struct time_to_target *c, struct text *t); /* nothing when n = 0 */
void time_to_target_html(const struct time_to_target *c, struct text *t);
void time_to_target_json(const struct time_to_target *c, struct text *t); /* an array, all q */
