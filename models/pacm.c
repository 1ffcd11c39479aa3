/* SPDX-License-Identifier: Apache-2.0 */
/* pacm: the Pattern-aware Cost Model of Pruner (arXiv 2402.02361, section 4.2; pam_model.py): 174 features a statement
 * and eight blocks of data flow, 417,409 parameters, lambda-rank. Online a fresh network is trained on all records
 * after every batch of them; update=never with a file is the paper's offline mode, update=tune its plain fine-tuning.
 *
 * Deviations from the released code:
 * - Scores use the running statistics of batch norm. There the network stays in training mode after a fit and uses
 *   those of the states scored together; norm=batch does so.
 * - Blocks on CPUs are ours (dataflow.h).
 * - Random numbers are ours. */
#include "models/pacm_kind.h"

struct pacm_options {
    struct learner_options learn;
    struct pacm_parts parts;
};
static const struct setting settings[] = {
    LEARNER_SETTINGS(struct pacm_options, learn, "512", "16", "1", "0", "fit"),
    PACM_PARTS_SETTINGS(struct pacm_options, parts),
    {0},
};

struct pacm {
    struct learner learner; /* first: the common functions take it as self */
    struct learner_kind kind;
};

static bool pacm_open(void *self, struct model_env *env, struct err *err)
{
    struct pacm *p = self;
    const struct pacm_options *o = env->options;
    return pacm_kind_make("pacm", o->parts, &p->kind, err) &&
           learner_open(&p->learner, &p->kind, &o->learn, NULL, env, err);
}

/* 134 us of user time a record and epoch, 990 records of a matmul, 12 epochs less 2, AVX-512. */
static double pacm_search_s(const void *options, int64_t rounds, int64_t batch)
{
    return learner_search_s(&((const struct pacm_options *)options)->learn, 0.00013, rounds, batch);
}

extern const struct model model_pacm;
const struct model model_pacm = {
    .name = "pacm",
    .summary = "statement features and data flow, lambda-rank (Pruner)",
    .settings = settings,
    .options_size = sizeof(struct pacm_options),
    .state_size = sizeof(struct pacm),
    .open = pacm_open,
    .tell = learner_tell,
    .fit = learner_fit,
    .score = learner_score,
    .save = learner_save,
    .load = learner_load,
    .close = learner_close,
    .search_s = pacm_search_s,
};
