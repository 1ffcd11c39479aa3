/* SPDX-License-Identifier: Apache-2.0 */
/* run_order: in what order arms are measured. Each seed is a block that holds every arm once, in an order of its own,
 * so that drift of the machine meets all arms alike (harness/doc/measurement.md, "Order of measurements"). */
#pragma once
#include <stdint.h>

/* order[0 .. arms - 1]: the arms from 0, shuffled by the seed alone. */
void run_order_of(int arms, uint64_t seed, int *order);
