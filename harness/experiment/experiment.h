/* SPDX-License-Identifier: Apache-2.0 */
/* experiment: experiments/<stem>.yaml -> a plan of cells (network x arm x seed, and x k for an arm that exploits
 * another's records).
 *
 * Values are looked up in layers: --set options, then the tier's map, then the file itself. The keys are tables: those
 * below, campaign_key_table and cell_key_table (harness/record/keys.h), arm_keys (arm.h) and regime_settings
 * (harness/measure/regime.h). key_reference.h prints them for people. A tier has the keys of experiment_keys and
 * campaign_key_table, its arms as a map from name to keys. */
#pragma once
#include "harness/experiment/arm.h"
#include "harness/experiment/machine.h"
#include "harness/experiment/network.h"
#include "harness/plug/registry.h"
#include "harness/tune/plan.h"

/* How much of what the paper did is done: all of it, less, or so little that it shows that it runs. Claims are judged
 * whole, by their side, or not at all. */
enum experiment_budget { BUDGET_WHOLE, BUDGET_REDUCED, BUDGET_MECHANICS, BUDGETS };
extern const char *const experiment_budgets[BUDGETS + 1]; /* "whole", "reduced", "mechanics" */

struct experiment_options {
    const char *folder;      /* of experiments: "experiments" */
    const char *name;        /* stem, or path of a file */
    const char *tier;        /* NULL: "smoke" when the file has it, else none */
    const char *results;     /* folder of results, NULL: results/<stem>/<tier> */
    const char *const *sets; /* "key=value", "arm.key=value", "regime.key=value"; nsets of them */
    int nsets;
};
struct experiment {
    const char *stem, *title, *paper, *report, *tier, *file;
    const char *headline; /* name of an arm; "": none is declared */
    struct machine machine;
    struct setting_strings network_names, replicated; /* replicated: the networks that have all seeds; n 0: all */
    struct network **networks;                        /* as they are run: kernels may be cut by the tier */
    int nnetworks, nreplicated;                       /* nreplicated: of these have all seeds */
    struct arm *arms;
    int narms;
    enum experiment_budget budget;          /* not given: smoke is mechanics, short reduced, anything else whole */
    int64_t seeds, kernels;                 /* kernels: most of a network, 0 all */
    double max_kernel_gflop;                /* of a call; 0 all */
    struct setting_strings answer_networks; /* over which the answer is; n 0: none is declared */
    struct setting_strings answer_arms;     /* n 0: all that explore another */
    const char *answer_over;                /* the arm that these are set against; "": their explorer */
    double answer_above, answer_none;
    bool unlike;                   /* arms may be built and timed under conditions of their own */
    bool scale_trials;             /* an arm's trials are cut as the network's kernels are */
    int64_t first_seed, seed_base; /* seeds are first_seed to seed_base + seeds; seed_base is first_seed - 1 */
    struct plan plan;
};
extern const struct setting file_keys[]; /* of the file alone */
extern const struct setting experiment_keys[];
struct network *experiment_network(const struct experiment *e, const char *name); /* NULL: it is not run */
/* SHA-256 in hex of all that its results hang on, where contents (plan.contents) says what absent files hold. In a. */
const char *experiment_hash(struct arena *a, const struct experiment *e, const char *contents);
/* All in a. Names and settings of plug-ins are checked here, with file:line:column. */
MUST_CHECK bool experiment_load(struct arena *a, const struct registry *registry, const struct experiment_options *o,
                                struct experiment **out, struct err *err);
