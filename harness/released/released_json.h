/* SPDX-License-Identifier: Apache-2.0 */
/* released_json: a reanalysis for scripts. The members are in HACKING.md; a number that is not there is null. */
#pragma once
#include "harness/released/released_claims.h"

void released_json_print(const struct reanalysis *x, const struct outliers *s, const struct released_claims *c,
                         struct text *t);
