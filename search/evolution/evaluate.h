/* SPDX-License-Identifier: Apache-2.0 */
/* evaluate: turns step lists or random draws into valid, scored individuals: replay, bounds, identity, model score.
 * Works in chunks, so that only a chunk's states are alive at a time. Scores are kept for the round: a program met
 * again is not scored again. */
#pragma once
#include "harness/base/map.h"
#include "harness/plug/evaluations.h"
#include "harness/plug/model.h"
#include "search/evolution/mutate.h"
#include "search/evolution/worker_pool.h"

struct individual {
    struct genome genome; /* in a thread's keep arena, or longer-lived */
    uint64_t hash;        /* state_hash; 0 while not valid */
    double score;         /* -INFINITY: the model cannot featurise it; NAN without a model */
    bool valid;
    bool refused; /* not valid because a GPU cannot run it: the originals score such programs, too */
};

struct evaluator {
    const struct space *space;
    struct worker_pool *workers;
    const struct model_use *model; /* NULL: nothing is scored */
    bool drafts;                   /* its time is that of phase draft, not of score */
    struct map scores;             /* hash -> bits of the score */
    int64_t scored, asked; /* programs the model was given; those that the original gives it: counted by callers */
};

/* The caller fills space, workers and model, the rest zero. A new round: scores are kept until its arena is reset. */
void evaluator_begin(struct evaluator *e, struct arena *round);
/* Adds what was counted since the last call, to those of the draft or of the model; out may be NULL. */
void evaluator_count(struct evaluator *e, struct evaluations *out);
/* Draws out[i] with seed seeds[i]. Invalid draws have valid false. False: the model failed. */
MUST_CHECK bool evaluate_draws(struct evaluator *e, const uint64_t *seeds, int n, struct individual *out,
                               struct err *err);
/* Evaluates in[i], whose genome is set. */
MUST_CHECK bool evaluate_genomes(struct evaluator *e, struct individual *const *in, int n, struct err *err);
