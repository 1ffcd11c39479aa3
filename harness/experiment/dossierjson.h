/* SPDX-License-Identifier: Apache-2.0 */
/* dossierjson: a reanalysis for scripts. The members are in HACKING.md; a number that is not there is null. */
#pragma once
#include "harness/experiment/contrast.h"

void dossierjson_print(const struct reanalysis *x, const struct suspects *s, const struct contrasts *c, struct text *t);
