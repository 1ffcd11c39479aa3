/* SPDX-License-Identifier: Apache-2.0 */
/* moa: PaCM with momentum online adaptation (Pruner, arXiv 2402.02361, section 4.3; pam_model.py, "siamese"). A second
 * network, the Siamese one, begins as a network trained elsewhere (load=FILE) and is never asked for a score. A fit
 * starts from it, trains on all records of this run, and moves it a little: keep of it stays, the rest is added.
 *
 * delta=network is the released code: what is added is the trained network's parameters; a fit at every fourth call;
 * running statistics of batch norm stay those of the file. delta=change is the paper's text, read literally: what is
 * added is "the gradient of the target", taken as the change that training made to the parameters; then every=1. Under
 * that reading the Siamese network shrinks by a hundredth at each fit.
 *
 * Until the first fit the loaded network scores. Without a file the Siamese network is random at first, an ablation.
 * The ablations without momentum are model pacm: update=fresh, and load=FILE,update=tune.
 *
 * Saved is the network that scores; a file is the same as of model pacm. */
#include "models/pacm_kind.h"

struct moa_options {
    struct learner_options learn;
    struct pacm_parts parts;
    double momentum;
    int delta;
    bool buffers;
};
static const char *const deltas[] = {"network", "change", NULL};
static const struct setting settings[] = {
    LEARNER_SETTINGS(struct moa_options, learn, "512", "16", "4", "0", "fit"),
    PACM_PARTS_SETTINGS(struct moa_options, parts),
    REAL_SETTING("momentum", struct moa_options, momentum, "0.99", 0, 1,
                 "share of the Siamese network that stays at a fit"),
    ENUM_SETTING("delta", struct moa_options, delta, "network", deltas,
                 "what is added to it: the trained network (the code), or its change while trained (the text)"),
    BOOL_SETTING("buffers", struct moa_options, buffers, "false", "batch norm's running statistics follow, too"),
    {0},
};

struct moa {
    struct learner learner; /* first: the common functions take it as self */
    struct learner_momentum momentum;
    struct learner_kind kind;
};

static bool moa_open(void *self, struct model_env *env, struct err *err)
{
    struct moa *m = self;
    const struct moa_options *o = env->options;
    m->momentum = (struct learner_momentum){.keep = o->momentum, .change = o->delta == 1, .buffers = o->buffers};
    return pacm_kind_make("moa", o->parts, &m->kind, err) &&
           learner_open(&m->learner, &m->kind, &o->learn, &m->momentum, env, err);
}

/* as of pacm. */
static double moa_search_s(const void *options, int64_t rounds, int64_t batch)
{
    return learner_search_s(&((const struct moa_options *)options)->learn, 0.00013, rounds, batch);
}

extern const struct model model_moa;
const struct model model_moa = {
    .name = "moa",
    .summary = "PaCM adapted by a Siamese network with momentum (MoA-Pruner)",
    .settings = settings,
    .options_size = sizeof(struct moa_options),
    .state_size = sizeof(struct moa),
    .open = moa_open,
    .tell = learner_tell,
    .fit = learner_fit,
    .score = learner_score,
    .save = learner_save,
    .load = learner_load,
    .close = learner_close,
    .search_s = moa_search_s,
};
