/* SPDX-License-Identifier: Apache-2.0 */
/* loss: TVM v0.16 xgb_model.py, pack_sum_square_error, pack_sum_rmse. The hessian is that
 * of TVM: the second derivative by one row's own prediction, the cross terms within a program left out. */
#include "models/loss.h"

#include <math.h>

static double pack_score(const struct packs *p, int i, const float *row)
{
    double sum = 0;
    for (int r = p->first[i]; r < p->first[i + 1]; r++)
        sum += (double)row[r];
    return sum;
}

void loss_gradient(const struct packs *p, const float *row, float *gradient, float *hessian)
{
    for (int i = 0; i < p->n; i++) {
        double slope = pack_score(p, i, row) - (double)p->label[i];
        for (int r = p->first[i]; r < p->first[i + 1]; r++) {
            gradient[r] = (float)((double)p->label[i] * slope);
            hessian[r] = p->label[i];
        }
    }
}

double loss_rmse(const struct packs *p, const float *row)
{
    double sum = 0;
    for (int i = 0; i < p->n; i++) {
        double d = pack_score(p, i, row) - (double)p->label[i];
        sum += d * d * (p->first[i + 1] - p->first[i]);
    }
    int rows = p->n ? p->first[p->n] : 0;
    return rows ? sqrt(sum / rows) : 0;
}

void loss_scores(const struct packs *p, const float *row, double *score)
{
    for (int i = 0; i < p->n; i++)
        score[i] = pack_score(p, i, row);
}
