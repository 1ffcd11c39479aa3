/* SPDX-License-Identifier: Apache-2.0 */
/* released_text: a reanalysis for people. Times in milliseconds where a network is meant, microseconds where a kernel
 * is. */
#pragma once
#include "harness/released/released_claims.h"

/* Per-network tables, exploiters' bases and lists of suspects are shown at this k (the papers' 300). */
void released_text_print(const struct reanalysis *x, const struct outliers *s, const struct released_claims *c,
                         int64_t k, struct text *t);
