/* SPDX-License-Identifier: Apache-2.0 */
/* imported: the target of campaigns whose records came out of a file (`raingauge import`). It measures nothing, and so
 * nothing measured here gets among them. */
#include "harness/plug/target.h"

static bool imported_open(void *self, struct target_env *env, struct limits *limits, struct err *err)
{
    (void)self, (void)env, (void)limits;
    return err_set(err, "its times were measured elsewhere and imported: nothing is measured here");
}

const struct target target_imported = {.name = "imported",
                                       .summary = "the times of imported records; measures nothing",
                                       .state_size = 1,
                                       .is_virtual = true,
                                       .open = imported_open};
