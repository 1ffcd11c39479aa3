/* SPDX-License-Identifier: Apache-2.0 */
/* arm: the arms of an experiment, one way of searching each, and the cells of a plan that they become: one for each
 * network, seed and k. */
#pragma once
#include "harness/experiment/layers.h"
#include "harness/experiment/network.h"
#include "harness/plug/registry.h"

struct arm {
    const char *name, *explore; /* explore: NULL when it searches by itself */
    const char *searcher;       /* NULL: not given */
    const int64_t *k; /* of the first k records, when it explores; else separate runs, of k trials for each kernel */
    int nk;
};
bool arm_is_remeasure(const struct arm *a); /* it only measures its seeds again */

extern const struct setting arm_keys[]; /* those that no cell has; the others are cell_key_table */
struct arm_list {
    struct arm *at;
    int n;
    struct arm_settings *settings; /* what their cells have in common; n of them */
};
/* experiment: its layers, the lowest of which has the list of arms, the others maps of changes by name. Names and
 * settings of plug-ins are checked here. plan: files that a model's settings name are looked up in its folder, too,
 * and must be there, since an experiment's hash is of what is in them (named_files.h). */
MUST_CHECK bool arm_list_read(const struct layers *experiment, const struct registry *registry, const struct plan *plan,
                              struct arm_list *out, struct err *err);
/* Are the programs of all arms built and timed under the same conditions? */
MUST_CHECK bool arm_list_alike(const struct arm_list *arms, struct err *err);
/* Have the kernels of each arm a number of trials that does not hang on their network (plan_taken)? */
MUST_CHECK bool arm_list_may_share(const struct arm_list *arms, struct err *err);
struct arm_grid { /* what the cells of an experiment run over, beside its arms */
    struct network *const *networks;
    int nnetworks;
    int64_t first_seed, seeds;
    bool scale_trials; /* of an arm's trials of a network its kernels have their share, where some were cut */
};
/* The cells in the order of the plan: by seed, network, arm, k. */
MUST_CHECK bool arm_list_cells(struct arena *a, const struct arm_list *arms, const struct arm_grid *grid,
                               struct plan *out, struct err *err);
