/* SPDX-License-Identifier: Apache-2.0 */
/* pruner_open: a folder to a release. */
#pragma once
#include "harness/released/pruner/pruner_release.h"

/* Reads what is there, in a. False: none of the files is, or dir is no folder (then err is set and *none is not). */
MUST_CHECK bool pruner_release_open(struct arena *a, const char *dir, struct pruner_release **out, bool *none,
                                    struct err *err);
