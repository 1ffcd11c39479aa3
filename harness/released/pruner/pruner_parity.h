/* SPDX-License-Identifier: Apache-2.0 */
/* pruner_parity: search time to parity (the whole run of a baseline over the time until a method is as good as the
 * baseline is in the end), and the latencies after 2,000 trials. The paper averages ratios over networks by the
 * arithmetic mean. */
#pragma once
#include "harness/released/pruner/pruner_numbers.h"

void pruner_parity_add(struct pruner_numbers *x);
