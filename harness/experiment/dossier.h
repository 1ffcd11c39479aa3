/* SPDX-License-Identifier: Apache-2.0 */
/* dossier: a reanalysis for people. Times in milliseconds where a network is meant, microseconds where a kernel is. */
#pragma once
#include "harness/experiment/contrast.h"

/* Per-network tables, exploiters' bases and lists of suspects are shown at this k (the papers' 300). */
void dossier_print(const struct reanalysis *x, const struct suspects *s, const struct contrasts *c, int64_t k,
                   struct text *t);
