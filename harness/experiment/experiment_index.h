/* SPDX-License-Identifier: Apache-2.0 */
/* experiment_index: who takes part in an experiment: its kind of report, its arms with their k, its networks, over all
 * tiers. Read from the file alone, without plug-ins, so that claims can be checked where nothing could run. */
#pragma once
#include "harness/base/arena.h"
#include "harness/base/err.h"

#include <stdint.h>

struct experiment_index_arm {
    const char *name;
    bool explores; /* starts from the records of another */
    int most_k;    /* k values in the tier that has most of them */
};
struct experiment_index {
    const char *stem, *report; /* report "": the file names none */
    struct experiment_index_arm *arms;
    int narms;
    const char **networks; /* of any tier, each once */
    int nnetworks;
};
/* <folder>/<stem>.yaml. Errors carry file:line:column. */
MUST_CHECK bool experiment_index_load(struct arena *a, const char *folder, const char *stem,
                                      struct experiment_index *out, struct err *err);
/* Names of the arms that explore another, at most `most`; how many. */
int experiment_index_explorers(const struct experiment_index *r, const char **names, int most);
/* Names of the arms but the first, which those of a race are set against; at most `most`; how many. */
int experiment_index_rivals(const struct experiment_index *r, const char **names, int most);
const struct experiment_index_arm *experiment_index_arm(const struct experiment_index *r,
                                                        const char *name); /* NULL: none of that name */
/* Has the experiment's file such a tier? A file that cannot be read has: what is wrong is for experiment_load to say.
 */
bool experiment_has_tier(struct arena *a, const char *folder, const char *stem, const char *tier);
