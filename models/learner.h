/* SPDX-License-Identifier: Apache-2.0 */
/* learner: the common part of the models that are networks (pacm, mlp, tlp, moa): settings, records, training, scores,
 * files. A model adds how it sees a program, its network, and its defaults.
 *
 * Told programs become examples at once. A fit is due after each tell, and the `every`-th of them is done, and the
 * first if the network is neither loaded nor trained. When records are told again in one go (a run is resumed), a
 * network that is trained on and on takes all its fits again, so that it becomes the same network. A fit's random
 * numbers depend on the seed of the cell and on the number of programs.
 *
 * Scores are random until there are more programs than `warmup`, unless the network comes from a file or was
 * pre-trained.
 *
 * pretrain=FILE trains a network of this kind from scratch on a recording (harness/plug/recording.h), with the settings
 * of the model, a tenth of each kernel's programs for validation, to choose the epoch by (pam_model.py, pre-training),
 * and begins with it as with a file of `load`. It happens when the model is opened, before the clock of a search. The
 * network is kept in the cache of the environment under a name that the recording's digest, the seed and the settings
 * decide, so that the searches of a campaign share one training, and a resumed campaign goes on with the same. */
#pragma once
#include "models/example_batch.h"
#include "models/nn/training.h"

enum learner_update { LEARNER_FRESH, LEARNER_TUNE, LEARNER_NEVER };
struct learner_options {
    int64_t epochs, batch, patience, every, warmup;
    double rate, decay, clip, validation;
    int loss, optimiser, update, norm, scales;
    const char *load, *pretrain;
    int64_t pretrain_seed;
};
struct learner_kind {
    const char *name; /* as users type it, for messages */
    const char *file; /* what its files call themselves */
    struct example_form cpu, gpu;
    void (*make)(struct net *n, bool gpu);
};
struct learner {
    struct model_env *env;
    const struct learner_kind *kind;
    const struct learner_options *o;
    /* Moves the second network, which every fit begins with, after a fit (moa.c); NULL: there is none. */
    void (*follow)(struct learner *l);
    struct example_batch *source;
    struct examples examples;
    struct net net, siamese;      /* the one that scores; momentum's */
    bool trained, loaded, scaled; /* scaled: the scales stay, under scales=first */
    uint64_t seed;
    VEC(int) due;               /* number of programs at the end of each tell whose fit is due */
    int fits;                   /* due so far, done or not */
    struct learner_part *parts; /* by thread, for scores */
    int nparts;
};

extern const char *const learner_updates[], *const learner_norms[], *const learner_scales[],
                                                                        *const learner_optimisers[];

/* Rows for a model's table. S: its options' struct, whose member is a struct learner_options. */
#define LEARNER_SETTINGS(S, member, first_batch, first_patience, first_every, first_validation, first_scales)          \
    INT_SETTING("epochs", S, member.epochs, "50", 1, 1e6, "passes over the records in a fit"),                         \
        INT_SETTING("batch", S, member.batch, first_batch, 1, 1e6, "records of a step"),                               \
        INT_SETTING("patience", S, member.patience, first_patience, 0, 1e6,                                            \
                    "stop after so many epochs without a lower loss; 0: never"),                                       \
        ENUM_SETTING("loss", S, member.loss, "lambda", rank_loss_names, "what training lowers"),                       \
        ENUM_SETTING("optimiser", S, member.optimiser, "adam", learner_optimisers, "how it goes downhill"),            \
        REAL_SETTING("rate", S, member.rate, "0.0007", 1e-9, 10, "length of its steps"),                               \
        REAL_SETTING("decay", S, member.decay, "0.000001", 0, 1, "weight decay"),                                      \
        REAL_SETTING("clip", S, member.clip, "0.5", 0, 1e9, "longest gradient; 0: any"),                               \
        REAL_SETTING("validation", S, member.validation, first_validation, 0, 0.9,                                     \
                     "share of each task's records kept aside; the best epoch on them is taken"),                      \
        ENUM_SETTING("update", S, member.update, "fresh", learner_updates,                                             \
                     "a fit starts from random parameters, goes on from the last ones, or is not done"),               \
        INT_SETTING("every", S, member.every, first_every, 1, 1e6, "fit after every so many batches of records"),      \
        INT_SETTING("warmup", S, member.warmup, "0", -1, 1e9,                                                          \
                    "random scores until there are more records; -1: as for model xgb"),                               \
        ENUM_SETTING("norm", S, member.norm, "running", learner_norms,                                                 \
                     "batch norm of scores: by statistics of training, or of the states scored together"),             \
        ENUM_SETTING("scales", S, member.scales, first_scales, learner_scales,                                         \
                     "largest value of each feature: of each fit's records, or of the first fit's"),                   \
        STRING_SETTING("load", S, member.load, "", "file with the parameters to begin with", .content = true),         \
        STRING_SETTING("pretrain", S, member.pretrain, "",                                                             \
                       "recording to train on before the search, to begin with what comes out", .content = true),      \
        INT_SETTING("pretrain_seed", S, member.pretrain_seed, "1", 0, 1e9, "of the numbers of that training")

/* kind and o outlive it. follow: as in struct learner. Opens the file `load`, or pre-trains, if one is named; both are
 * refused. */
MUST_CHECK bool learner_open(struct learner *l, const struct learner_kind *kind, const struct learner_options *o,
                             void (*follow)(struct learner *), struct model_env *env, struct err *err);
/* For search_s of struct model. epoch_s: seconds of one record in one epoch of training, on one core. */
double learner_search_s(const struct learner_options *o, double epoch_s, int64_t rounds, int64_t batch);
/* As in struct model; self is a struct learner. */
bool learner_tell(void *self, const struct candidate *c, const struct sample *s, int n, struct err *err);
bool learner_fit(void *self, struct err *err);
bool learner_score(void *self, const struct task *task, struct state *const *states, int n, double *scores,
                   struct err *err);
bool learner_save(void *self, const char *path, struct err *err);
bool learner_load(void *self, const char *path, struct err *err);
void learner_close(void *self);

/* The table of a model: its options O, whose member `learn` are the common ones, come first in a table `settings`; its
 * state S begins with the struct learner; it has a function `open`. epoch_s: of learner_search_s. */
#define LEARNER_MODEL(id, text, O, S, epoch_s)                                                                         \
    static double search_s(const void *options, int64_t rounds, int64_t batch, int cores)                              \
    {                                                                                                                  \
        (void)cores; /* those of one core: how more of them help was not measured */                                   \
        return learner_search_s(&((const O *)options)->learn, epoch_s, rounds, batch);                                 \
    }                                                                                                                  \
    extern const struct model model_##id;                                                                              \
    const struct model model_##id = {.name = #id,                                                                      \
                                     .summary = text,                                                                  \
                                     .settings = settings,                                                             \
                                     .options_size = sizeof(O),                                                        \
                                     .state_size = sizeof(S),                                                          \
                                     .open = open,                                                                     \
                                     .tell = learner_tell,                                                             \
                                     .fit = learner_fit,                                                               \
                                     .score = learner_score,                                                           \
                                     .save = learner_save,                                                             \
                                     .load = learner_load,                                                             \
                                     .close = learner_close,                                                           \
                                     .search_s = search_s}
