/* SPDX-License-Identifier: Apache-2.0 */
/* thread_bind: the init rule that gives the loops of a GPU program to blocks, virtual threads and threads
 * (harness/doc/ansor.md, "Random annotation"). What is fetched into shared memory is fetched by all threads of a block
 * together. */
#pragma once
#include "search/sketch/space.h"

/* Applies steps to a state whose bounds have been inferred; afterwards they must be inferred again. False: the tile
 * lengths give too many virtual threads, or less threads than a warp. */
MUST_CHECK bool thread_bind(const struct space *sp, struct state *s, struct err *err);
