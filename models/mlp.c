/* SPDX-License-Identifier: Apache-2.0 */
/* mlp: the multi-layer perceptron of TenSet (NeurIPS 2021 data sets; its mlp_model.py): 174 features a statement,
 * 242,433 parameters, lambda-rank. A fresh network on all records after every batch of them is what the Pruner paper
 * calls Ansor (there with batches of ten).
 *
 * Deviations: random numbers are ours, so that a network starts like PyTorch's in kind and not in bits. */
#include "models/learner.h"
#include "models/nn/networks.h"
#include "models/statement_rows.h"

struct mlp_options {
    struct learner_options learn;
};
static const struct setting settings[] = {
    LEARNER_SETTINGS(struct mlp_options, learn, "512", "8", "1", "0", "first"),
    {0},
};

static void make(struct net *n, bool gpu)
{
    (void)gpu;
    net_make_mlp(n);
}

static const struct learner_kind kind = {
    .name = "mlp",
    .file = "mlp",
    .cpu = STATEMENT_FORM,
    .gpu = STATEMENT_FORM,
    .make = make,
};

static bool open(void *self, struct model_env *env, struct err *err)
{
    const struct mlp_options *o = env->options;
    return learner_open(self, &kind, &o->learn, NULL, env, err);
}

/* 49 us a record and epoch, as pacm was timed. */
LEARNER_MODEL(mlp, "perceptron on 174 features of each statement, lambda-rank (TenSet)", struct mlp_options,
              struct learner, 0.00005);
