/* SPDX-License-Identifier: Apache-2.0 */
/* released_value: the number of a claim as the authors' released files give it, and why it may be doubtful. */
#pragma once
#include "harness/released/droplet/reanalysis.h"

double released_value(const struct reanalysis *x, const struct released_query *q); /* NAN: not in these files */
/* As raingauge reanalyse says it: kernels at least 3 times faster than Ansor's carry a kernel speedup, or some networks
 * take more search time where less is claimed. NULL: no such doubt. In a. */
const char *released_value_caveat(struct arena *a, const struct reanalysis *x, const struct released_query *q);
