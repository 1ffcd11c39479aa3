/* SPDX-License-Identifier: Apache-2.0 */
/* loss: the pack-sum squared error (harness/doc/ansor.md, "Cost model"). A program (pack) is several rows; its score is
 * the sum of its rows' predictions; loss = 1/2 * weight * (score - label)^2, weight = label. */
#pragma once

struct packs { /* rows of program i: first[i] .. first[i+1]-1 */
    int n;
    const int *first;   /* n + 1 */
    const float *label; /* n, in 0..1 */
};

/* Per row: gradient weight*(score - label), hessian weight. Both have first[n] elements. */
void loss_gradient(const struct packs *p, const float *row, float *gradient, float *hessian);
double loss_rmse(const struct packs *p, const float *row); /* TVM's p-rmse: unweighted, over rows */
void loss_scores(const struct packs *p, const float *row, double *score);
