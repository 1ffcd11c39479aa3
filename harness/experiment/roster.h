/* SPDX-License-Identifier: Apache-2.0 */
/* roster: who takes part in an experiment: its kind of report, its arms with their k, its networks, over all tiers.
 * Read from the file alone, without plug-ins, so that claims can be checked where nothing could run. */
#pragma once
#include "harness/base/arena.h"
#include "harness/base/err.h"

#include <stdint.h>

struct roster_arm {
    const char *name;
    bool explores; /* starts from the records of another */
    int most_k;    /* k values in the tier that has most of them */
};
struct roster {
    const char *stem, *report; /* report "": the file names none */
    struct roster_arm *arms;
    int narms;
    const char **networks; /* of any tier, each once */
    int nnetworks;
};
/* <folder>/<stem>.yaml. Errors carry file:line:column. */
MUST_CHECK bool roster_load(struct arena *a, const char *folder, const char *stem, struct roster *out, struct err *err);
/* Names of the arms that explore another, at most `most`; how many. */
int roster_explorers(const struct roster *r, const char **names, int most);
const struct roster_arm *roster_arm(const struct roster *r, const char *name); /* NULL: none of that name */
