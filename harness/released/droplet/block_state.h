/* SPDX-License-Identifier: Apache-2.0 */
/* block_state: which block of several counts. Three defects of the released files are treated here: blocks that hold
 * another network's rows, blocks that were cut off, and cells that stand in two files (a later single run beside one
 * that was cut off). Blocks that were run with another k than their label says are found by bennu.h. */
#pragma once
#include "harness/released/droplet/release.h"

/* Sets kernels, state and note of each block. Rows of micro-kernels without Ansor's columns get them from its log. */
void block_state_decide(struct release *r);
