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
 * Saved is the network that scores; a file is the same as of model pacm. Deviations: as of model pacm. */
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
    struct learner_kind kind;
    const struct moa_options *o;
};

/* The Siamese network after a fit. */
static void follow(struct learner *l)
{
    const struct moa_options *o = ((const struct moa *)l)->o;
    float keep = (float)o->momentum, part = (float)(1 - o->momentum);
    for (size_t i = 0; i < l->net.nparams; i++) {
        float old = l->siamese.param[i], added = l->net.param[i] - (o->delta == 1 ? old : 0);
        l->siamese.param[i] = keep * old + part * added;
    }
    for (size_t i = 0; o->buffers && i < l->net.nbuffers; i++)
        l->siamese.buffer[i] = keep * l->siamese.buffer[i] + part * l->net.buffer[i];
}

static bool open(void *self, struct model_env *env, struct err *err)
{
    struct moa *m = self;
    m->o = env->options;
    return pacm_kind_make("moa", m->o->parts, &m->kind, err) &&
           learner_open(&m->learner, &m->kind, &m->o->learn, follow, env, err);
}

LEARNER_MODEL(moa, "PaCM adapted by a Siamese network with momentum (MoA-Pruner)", struct moa_options, struct moa,
              0.00013);
