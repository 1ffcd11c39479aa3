/* SPDX-License-Identifier: Apache-2.0 */
/* model: the interface of cost models. A plug-in is one .c in models/ exporting one const struct model, and a line in
 * models.c. Score: higher is better, always. All calls from one thread; a model may use env->pool inside. */
#pragma once
#include "harness/base/err.h"
#include "harness/base/pool.h"
#include "harness/base/rng.h"
#include "harness/base/settings.h"
#include "harness/plug/analyzer.h"
#include "harness/plug/candidate.h"
#include "harness/plug/phase.h"
#include "harness/plug/sample.h"
#include "harness/program/schedule/limits.h"
#include "harness/program/schedule/schedule.h"

struct model_env {
    const void *options; /* parsed settings */
    struct limits limits;
    const struct machine_analyzer *analyzer; /* of the machine; NULL: nothing is known of it */
    struct rng rng;                          /* own stream, used for random scores and sub-sampling */
    struct pool *pool;                       /* may be NULL: no threads */
    struct phases *phases;
    int warmup; /* num_warmup_sample, harness/doc/ansor.md, "Cost model": random scores until the records are strictly
                   more; -1: always on */
    const char *folder; /* of the experiments, where files that settings name are found, too; NULL: there is none */
    const char *cache;  /* folder for what a model computes once and takes up again; NULL: it keeps nothing */
};

struct model {
    const char *name, *summary;
    const struct setting *settings;
    size_t options_size, state_size;
    MUST_CHECK bool (*open)(void *self, struct model_env *env, struct err *err); /* env outlives self */
    /* New measured programs of one task. The model keeps what it needs (features, times); it replays the steps itself.
     */
    MUST_CHECK bool (*tell)(void *self, const struct candidate *c, const struct sample *s, int n, struct err *err);
    MUST_CHECK bool (*fit)(void *self,
                           struct err *err); /* train on all told so far; called when the searcher wants it */
    /* States with bounds inferred. A state that cannot be featurised gets -INFINITY. */
    MUST_CHECK bool (*score)(void *self, const struct task *task, struct state *const *states, int n, double *scores,
                             struct err *err);
    MUST_CHECK bool (*save)(void *self, const char *path, struct err *err); /* NULL: nothing to save */
    MUST_CHECK bool (*load)(void *self, const char *path, struct err *err);
    void (*close)(void *self);
    /* For plans: seconds on so many cores that training and scoring take in a search of so many rounds of `batch`
     * records, beyond what model xgb takes of few records. NULL: none. */
    double (*search_s)(const void *options, int64_t rounds, int64_t batch, int cores);
};

/* An opened model: plug-in plus its state. */
struct model_use {
    const struct model *plug;
    void *self;
};
