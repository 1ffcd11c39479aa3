/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/stats/run_order.h"

#include "harness/base/rng.h"

void run_order_of(int arms, uint64_t seed, int *order)
{
    struct rng rng;
    rng_seed(&rng, seed ^ UINT64_C(0x9e3779b97f4a7c15));
    for (int i = 0; i < arms; i++)
        order[i] = i;
    for (int i = arms - 1; i > 0; i--) { /* Fisher and Yates */
        int j = (int)rng_below(&rng, (uint64_t)i + 1), arm = order[i];
        order[i] = order[j];
        order[j] = arm;
    }
}
