/* SPDX-License-Identifier: Apache-2.0 */
/* pruner_reanalysis: all numbers of a release. */
#pragma once
#include "harness/released/pruner/pruner_numbers.h"

/* In a, which frees the lists of out: out must live as long as a, and r must outlive it. */
void pruner_reanalysis_make(struct arena *a, const struct pruner_release *r, struct pruner_numbers *out);
