/* SPDX-License-Identifier: Apache-2.0 */
/* run_order: in what order arms are measured. Each seed is a block that holds every arm once, in an order of its own,
 * so that drift of the machine meets all arms alike (harness/doc/measurement.md, "Order of measurements"). */
#pragma once
#include <stdint.h>

struct run_order_turn {
    int block, arm; /* from 0 */
};

/* turns[0 .. blocks x arms - 1]. Blocks come in order; block b's order depends on (seed, b) only, so adding blocks
 * later, or resuming, leaves the earlier ones as they were. */
void run_order_of(int blocks, int arms, uint64_t seed, struct run_order_turn *turns);
