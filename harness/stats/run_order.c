/* SPDX-License-Identifier: Apache-2.0 */
/* run_order: a shuffle for each block from a stream of its own. */
#include "harness/stats/run_order.h"

#include "harness/base/rng.h"

void run_order_of(int blocks, int arms, uint64_t seed, struct run_order_turn *turns)
{
    for (int b = 0; b < blocks; b++) {
        struct run_order_turn *block = turns + (long)b * arms;
        struct rng rng;
        rng_seed(&rng, seed ^ (UINT64_C(0x9e3779b97f4a7c15) * (uint64_t)(b + 1)));
        for (int i = 0; i < arms; i++)
            block[i] = (struct run_order_turn){.block = b, .arm = i};
        for (int i = arms - 1; i > 0; i--) { /* Fisher and Yates */
            int j = (int)rng_below(&rng, (uint64_t)i + 1), arm = block[i].arm;
            block[i].arm = block[j].arm;
            block[j].arm = arm;
        }
    }
}
