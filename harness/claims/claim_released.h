/* SPDX-License-Identifier: Apache-2.0 */
/* claim_released: the number of a claim as the authors' released files give it, and why it may be doubtful. */
#pragma once
#include "harness/claims/claims.h"
#include "harness/released/reanalysis.h"

double claim_released_value(const struct reanalysis *x, const struct claim *c); /* NAN: not in these files */
/* As raingauge reanalyse says it: kernels at least 3 times faster than Ansor's carry a kernel speedup, or some networks
 * take more search time where less is claimed. NULL: no such doubt. In a. */
const char *claim_released_caveat(struct arena *a, const struct reanalysis *x, const struct claim *c);
