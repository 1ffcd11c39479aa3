/* SPDX-License-Identifier: Apache-2.0 */
/* pretraining: the programs that a network is trained on before a search: a recording (harness/plug/recording.h) of
 * another machine or another configuration of this one, and the name under which the trained network is kept. */
#pragma once
#include "harness/base/arena.h"
#include "harness/plug/candidate.h"
#include "harness/plug/recording.h"
#include "harness/plug/sample.h"

struct pretraining {
    struct candidate *candidates;
    struct sample *samples; /* one time each, seconds: the median of the program's repeats */
    int n, kernels;
    int refused;     /* rows left out as they hold no time or as their steps do not apply */
    char digest[65]; /* of the recording's lines */
};
/* Reads a recording, plain or packed. All in a. False: it cannot be read, or no program is left. */
MUST_CHECK bool pretraining_read(struct arena *a, const char *path, struct pretraining *out, struct err *err);
/* "FOLDER/pretrained-<16 hex digits>.net": of all that decides the network that comes out, in words. In a. */
const char *pretraining_file(struct arena *a, const char *folder, const char *words);
