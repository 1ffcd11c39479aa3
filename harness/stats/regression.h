/* SPDX-License-Identifier: Apache-2.0 */
/* regression: did tonight's build get slower, by the rule of harness/doc/measurement.md, "Nightly rule", which is
 * strict because alarms that do not repeat teach people to look away. An alarm needs all three: the rank test of
 * tonight's times against the last good window below 0.002 with 7 times or more a side; a ratio outside max(3 %, 3 x
 * noise floor); and the same again in an interleaved rerun of the old and the new binary.
 *
 * The same rule judges what the weekly step fit finds (harness/stats/change_point.h): levels of nights before and after
 * the step then are the two sides, and the fit's p takes the rank test's place. */
#pragma once
#include <stdbool.h>

enum { REGRESSION_LEAST = 7 };      /* times a side, pairs of the rerun */
#define REGRESSION_ALPHA 0.002      /* of the rank test */
#define REGRESSION_NOISY_MARGIN 0.2 /* ours */

enum regression_kind {
    REGRESSION_TOO_FEW,         /* a side has fewer than REGRESSION_LEAST times */
    REGRESSION_NONE,            /* nothing that counts */
    REGRESSION_FASTER,          /* as significant as an alarm, but the good way */
    REGRESSION_SUSPECT,         /* first two hold: rerun old and new interleaved, then ask again */
    REGRESSION_NOT_CONFIRMED,   /* the rerun does not show it */
    REGRESSION_CONFIRMED,       /* all three hold */
    REGRESSION_MACHINE_CHANGED, /* the first two hold, either way, for one and the same binary (see can_rerun) */
    REGRESSION_NOISY,           /* nothing that counts, but the margin is so wide that this says little */
};
extern const char *const regression_words[];

struct regression_input {
    const double *window, *fresh; /* seconds: the last good ones pooled, and tonight's */
    int nwindow, nfresh;
    double noise;                        /* noise floor; NaN: not measured */
    double step_p;                       /* of the step fit that made the sides; 0: none, the rank test decides */
    bool same_binary;                    /* the hash of tonight's binary is that of the window's */
    bool can_rerun;                      /* then a suspicion against the machine waits for a rerun, too */
    const double *old_again, *new_again; /* the rerun: pairs of seconds, npairs; 0: not run yet */
    int npairs;
};
struct regression {
    enum regression_kind kind;
    double ratio, p, margin; /* fresh / window (geometric means); rank test; relative margin */
    double again, low, high; /* the rerun's new / old with its 95 % interval; NaN without one */
};
/* The rerun confirms when its ratio is beyond the margin and its 95 % interval excludes 1 (the rule says only
 * "confirmed"; the test is ours). */
struct regression regression_of(const struct regression_input *in);
