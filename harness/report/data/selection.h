/* SPDX-License-Identifier: Apache-2.0 */
/* selection: the kinds of report. All are made of the same results and the same quantities; a kind says which arms are
 * compared, what stands for the kernels, and which tables a reader sees first. */
#pragma once
#include <stdbool.h>

struct selection {
    bool one_pair;        /* only the first arm that explores another, at each k; control arms stand beside it */
    bool seed_cost_again; /* results_make */
    bool holm_networks;   /* tests of networks are corrected over networks; else over the arms */
    bool each;            /* quantities by kernel are estimated, too */
    bool by_kernel;       /* the headline counts every kernel alike: the kernels are no network */
    bool race;            /* arms that search by themselves, each against the first of the experiment (race.h) */
    bool tests;           /* what is asked is whether winners differ: a table of tests is shown */
    bool
        published_ratios; /* published numbers are ratios by k (experiments/published/table3.yaml), else rows as text */
};
/* By the name that an experiment gives in `report:` (harness/experiment/report_kinds.h). NULL: there is no such kind.
 */
const struct selection *selection_find(const char *name);
