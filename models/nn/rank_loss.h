/* SPDX-License-Identifier: Apache-2.0 */
/* rank_loss: losses of a batch of scores against labels in 0..1 (best cost of the task over cost), with their slopes.
 *
 * LAMBDA  TenSet's and Pruner's: with the scores sorted, D = log2(1 + rank), G = (2^label - 1) / maxDCG, weight
 *         |1/D_i - 1/D_j| |G_i - G_j|, the loss is minus the sum over pairs with label_i > label_j of
 *         log2(max(max(sigmoid(s_i - s_j), 1e-10)^weight, 1e-10)). Weights are constants of the slopes. Equal scores
 *         keep their order.
 * MSE     mean of (sigmoid(s) - label)^2.
 * RANKNET mean over the same pairs of log(1 + exp(s_j - s_i)) (Burges et al. 2005).
 * LISTNET cross entropy of softmax(label) and softmax(s) (Cao et al. 2007). */
#pragma once

#define RANK_LOSSES(X) X(LAMBDA, "lambda") X(MSE, "mse") X(RANKNET, "ranknet") X(LISTNET, "listnet")
enum rank_loss {
#define X(id, word) RANK_##id,
    RANK_LOSSES(X)
#undef X
        RANK_LOSS_COUNT
};
extern const char *const rank_loss_names[RANK_LOSS_COUNT + 1]; /* ended by NULL */

/* slope[i]: derivative by score i. */
double rank_loss(enum rank_loss kind, const float *score, const float *label, int n, float *slope);
