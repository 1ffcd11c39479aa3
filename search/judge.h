/* SPDX-License-Identifier: Apache-2.0 */
/* judge: turns step lists or random draws into valid, scored individuals: replay, bounds, identity, model score. Works
 * in chunks, so that only a chunk's states are alive at a time. Scores are kept for the round: a program met again is
 * not scored again. */
#pragma once
#include "harness/base/map.h"
#include "harness/plug/model.h"
#include "search/crew.h"
#include "search/mutate.h"

struct individual {
    struct genome genome; /* in a hand's keep arena, or longer-lived */
    uint64_t hash;        /* state_hash; 0 while not valid */
    double score;         /* -INFINITY: the model cannot featurise it; NAN without a model */
    bool valid;
};

struct judge {
    const struct space *space;
    struct crew *crew;
    const struct model_use *model; /* NULL: nothing is scored */
    struct map scores;             /* hash -> bits of the score */
};

/* The caller fills space, crew and model, the rest zero. */
void judge_reset(struct judge *j); /* a new round: scores are forgotten */
void judge_close(struct judge *j);
/* Draws out[i] with seed seeds[i]. Invalid draws have valid false. False: the model failed. */
MUST_CHECK bool judge_draws(struct judge *j, const uint64_t *seeds, int n, struct individual *out, struct err *err);
/* Judges in[i], whose genome is set. */
MUST_CHECK bool judge_genomes(struct judge *j, struct individual *const *in, int n, struct err *err);
