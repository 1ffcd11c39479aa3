/* SPDX-License-Identifier: Apache-2.0 */
/* pacm: the Pattern-aware Cost Model of Pruner (arXiv 2402.02361, section 4.2; pam_model.py): 174 features a statement
 * and eight blocks of data flow, 417,409 parameters, lambda-rank. Online a fresh network is trained on all records
 * after every batch of them; update=never with a file is the paper's offline mode, update=tune its plain fine-tuning.
 *
 * Deviations from the released code:
 * - Scores use the running statistics of batch norm. There the network stays in training mode after a fit and uses
 *   those of the states scored together, 4096 at most; norm=batch does so, but a search scores 256 at a time
 *   (search/evolution/evaluate.c), as states take 30 KB each.
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

static bool open(void *self, struct model_env *env, struct err *err)
{
    struct pacm *p = self;
    const struct pacm_options *o = env->options;
    return pacm_kind_make("pacm", o->parts, &p->kind, err) &&
           learner_open(&p->learner, &p->kind, &o->learn, NULL, env, err);
}

/* 134 us of user time a record and epoch, 990 records of a matmul, 12 epochs less 2, AVX-512. */
LEARNER_MODEL(pacm, "statement features and data flow, lambda-rank (Pruner)", struct pacm_options, struct pacm,
              0.00013);
