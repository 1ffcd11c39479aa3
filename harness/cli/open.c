/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/cli/open.h"

bool open_experiment(struct cli *c, const char *name, const struct open_options *o, struct experiment **out,
                     struct err *err)
{
    struct experiment_options e = {.folder = c->folder,
                                   .name = name,
                                   .tier = o->tier,
                                   .results = o->results,
                                   .sets = o->sets.at,
                                   .nsets = o->sets.n};
    return experiment_load(c->arena, c->registry, &e, out, err);
}
