/* SPDX-License-Identifier: Apache-2.0 */
/* chase: time to target, where an experiment has several seeds (practice.md 3.2, C3, and 3.3): how long each arm takes,
 * on the wall clock, until a network's kernel sum is at most q times what the explorer usually ends with. A run that
 * never gets there says "longer than its clock": right-censored (harness/stats/survival.h). */
#pragma once
#include "harness/base/text.h"
#include "harness/experiment/experiment.h"
#include "harness/record/store.h"
#include "harness/stats/survival.h"

enum { CHASE_TARGETS = 4 };
extern const double chase_q[CHASE_TARGETS]; /* 1.00, 1.01, 1.02, 1.05 (practice.md 3.2) */

struct chase_arm {
    const char *name;
    struct survival of[CHASE_TARGETS];
    /* Log-rank test against the explorer, and Holm's correction over the arms of the network; NaN for itself. */
    double p[CHASE_TARGETS], holm[CHASE_TARGETS];
};
struct chase_network {
    const char *network;
    double target_s; /* median over seeds of the explorer's last kernel sum, as tuned; q = 1.00 */
    struct chase_arm *arms;
    int n; /* the explorer first; 0: nothing is done */
};
struct chase {
    struct chase_network *networks;
    int n; /* 0: one seed only, or no arm that explores another */
};
MUST_CHECK bool chase_make(struct arena *a, const struct experiment *e, struct store *s, struct chase *out,
                           struct err *err);
void chase_text(const struct chase *c, struct text *t); /* nothing when n = 0 */
void chase_html(const struct chase *c, struct text *t);
void chase_json(const struct chase *c, struct text *t); /* an array, all q */
