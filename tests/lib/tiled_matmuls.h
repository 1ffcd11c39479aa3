/* SPDX-License-Identifier: Apache-2.0 */
/* tiled_matmuls: a family of scheduled matmuls with a made-up cost, to train and try cost models on. */
#pragma once
#include "harness/plug/candidate.h"
#include "harness/plug/sample.h"
#include "harness/program/schedule/schedule.h"

struct tiled_matmuls {
    int n;
    struct candidate *candidates;
    struct state **states;  /* bounds inferred */
    struct sample *samples; /* cost: smooth in the logarithms of the tile sizes */
};

/* n random tilings of a 512^3 matmul, all in a. */
struct tiled_matmuls tiled_matmuls_make(struct arena *a, int n, uint64_t seed);
