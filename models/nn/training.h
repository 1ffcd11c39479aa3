/* SPDX-License-Identifier: Apache-2.0 */
/* training: epochs of mini-batches over a set of examples (TenSet mlp_model.py, Pruner pam_model.py, TLP tlp_train.py;
 * given in models/nn/README.md). The same seed gives the same network, whatever the number of threads. */
#pragma once
#include "harness/base/pool.h"
#include "models/nn/examples.h"
#include "models/nn/optimiser.h"
#include "models/nn/rank_loss.h"

struct training_epoch {
    int number;             /* from 1 */
    double loss;            /* moving average over the batches since the first epoch: 0.95 of it, 0.05 of the next */
    double validation_loss; /* mean over the batches of the set kept aside; NAN: none */
    double accuracy;        /* share of its pairs within a task in the right order, a tie half; NAN: none */
    bool best;
};
struct training {
    enum rank_loss loss;
    enum optimiser_kind optimiser;
    double rate, decay;
    double clip; /* most length of the gradient; 0: any */
    int64_t batch, epochs;
    int64_t patience;  /* stop after so many epochs without a lower loss; 0: never */
    double validation; /* share of each task's examples kept aside, 0 to 1 */
    struct pool *pool; /* or NULL */
    void (*each)(void *ctx, const struct training_epoch *e); /* or NULL */
    void *ctx;
};
struct training_result {
    int epochs, best;        /* number of the epoch with the lowest loss */
    double first_loss, loss; /* of the first and of the last epoch */
};
/* n goes on from what it is; its scales are used as they are, labels must have been made. Batch norm uses the
 * statistics of each batch and gathers running ones. With a set kept aside, n becomes the network after the epoch of
 * the lowest validation loss, and patience looks at that loss; without one it is the last, and patience looks at the
 * training loss. */
void training_run(const struct training *t, struct net *n, const struct examples *e, struct rng *rng,
                  struct training_result *out);
