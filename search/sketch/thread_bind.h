/* SPDX-License-Identifier: Apache-2.0 */
/* thread_bind: the init rule that gives the loops of a GPU program to blocks, virtual threads and threads
 * (harness/doc/ansor.md, "Random annotation"). What is fetched into shared memory is fetched by all threads of a block
 * together. */
#pragma once
#include "search/sketch/space.h"

/* What a searcher decides itself; Ansor leaves it to evolution. By stage of the state. */
struct thread_choice {
    const int64_t *lanes;   /* of the vector of a stage that is fetched; where they do not divide it, 1 is taken */
    const int64_t *threads; /* of a plain stage: of a block */
    int64_t most_blocks;    /* of a plain stage: past so many blocks of all threads, each thread has several turns */
};

/* Applies steps to a state whose bounds have been inferred; afterwards they must be inferred again. choice NULL:
 * Ansor's start, a warp of threads and vectors of 1. False: the tile lengths give too many virtual threads, or less
 * threads than a warp. */
MUST_CHECK bool thread_bind(const struct space *sp, struct state *s, const struct thread_choice *choice,
                            struct err *err);
