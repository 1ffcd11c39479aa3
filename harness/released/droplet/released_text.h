/* SPDX-License-Identifier: Apache-2.0 */
/* released_text: a reanalysis for people. Times of networks are in milliseconds, times of kernels in microseconds. */
#pragma once
#include "harness/released/droplet/released_claims.h"

/* Tables by network and lists of outliers are shown at this k (the paper's 300). */
void released_text_print(const struct reanalysis *x, const struct outliers *s, const struct released_claims *c,
                         int64_t k, struct text *t);
