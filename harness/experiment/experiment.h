/* SPDX-License-Identifier: Apache-2.0 */
/* experiment: experiments/<stem>.yaml -> a plan of cells (network x arm x seed, and x k for an arm that exploits
 * another's records).
 *
 * Values are looked up in layers: --set options, then the tier's map, then the file itself. Keys of the file:
 *   experiment title paper report machine target target_settings networks kernels seeds regime layout launches
 *   finalists final_regime arms tiers notes first_seed (of the seeds; 1)
 * of an arm: name searcher | explore + exploit, settings, model, model_settings, scheduler, batch, trials,
 *   trials_per_kernel, k, k_plus_one, share. An arm that does not explore and has k is run once for each, with k trials
 * for each kernel; an arm with k that explores it starts from the run of its own k. A tier has the same keys, but for
 *   experiment, title, paper, report and tiers, its arms as a map from name to keys. A regime is a preset's name or a
 * map of preset and settings (raingauge list regimes). */
#pragma once
#include "harness/experiment/machine.h"
#include "harness/experiment/network.h"
#include "harness/plug/registry.h"
#include "harness/tune/plan.h"

struct experiment_options {
    const char *folder;      /* of experiments: "experiments" */
    const char *name;        /* stem, or path of a file */
    const char *tier;        /* NULL: "smoke" when the file has it, else none */
    const char *results;     /* folder of results, NULL: results/<stem>/<tier> */
    const char *const *sets; /* "key=value", "arm.key=value", "regime.key=value"; nsets of them */
    int nsets;
};
struct arm {
    const char *name, *explore; /* explore: NULL when it searches by itself */
    const char *searcher;       /* NULL: not told */
    const int64_t *k; /* of the first k records, when it explores; else separate runs, of k trials for each kernel */
    int nk;
};
bool arm_is_retime(const struct arm *a); /* it only measures its seeds again */
struct experiment {
    const char *stem, *title, *paper, *report, *tier, *file;
    struct machine machine;
    struct network **networks; /* as they are run: kernels may be cut by the tier */
    int nnetworks;
    struct arm *arms;
    int narms;
    int64_t seeds, kernels; /* kernels: most of a network, 0 all */
    int64_t seed_base;      /* seeds are those after it: 0, so 1 to seeds */
    struct plan plan;
};
/* All in a. Names and settings of plug-ins are checked here, with file:line:column. */
MUST_CHECK bool experiment_load(struct arena *a, const struct registry *registry, const struct experiment_options *o,
                                struct experiment **out, struct err *err);
