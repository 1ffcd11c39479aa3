/* SPDX-License-Identifier: Apache-2.0 */
/* loss: gradient and hessian against finite differences, the error measure and the monitor by hand. */
#include "models/loss.h"

#include "harness/base/rng.h"
#include "tests/tap.h"

#include <math.h>

enum { PACKS = 4, ROWS = 9 };
static const int first[PACKS + 1] = {0, 1, 4, 6, 9};
static const float label[PACKS] = {1, 0.25f, 0, 0.6f};
static const struct packs packs = {.n = PACKS, .first = first, .label = label};

static void test_gradient(void)
{
    float row[ROWS], gradient[ROWS], hessian[ROWS];
    struct rng rng;
    rng_seed(&rng, 1);
    for (int i = 0; i < ROWS; i++)
        row[i] = (float)(rng_unit(&rng) - 0.3);
    loss_gradient(&packs, row, gradient, hessian);
    double step = 0.0625, worst1 = 0, worst2 = 0; /* exact in binary; the loss is quadratic, so differences are exact */
    for (int i = 0; i < ROWS; i++) {
        float keep = row[i];
        double middle = loss_value(&packs, row);
        row[i] = keep + (float)step;
        double up = loss_value(&packs, row);
        row[i] = keep - (float)step;
        double down = loss_value(&packs, row);
        row[i] = keep;
        worst1 = fmax(worst1, fabs((up - down) / (2 * step) - (double)gradient[i]));
        worst2 = fmax(worst2, fabs((up - 2 * middle + down) / (step * step) - (double)hessian[i]));
    }
    ok(worst1 < 1e-5, "the gradient is the slope of the loss (off by %.1e)", worst1);
    ok(worst2 < 1e-4, "the hessian is its curvature in one row (off by %.1e)", worst2);
    is_near(gradient[4], 0, 0, "a program of label 0 does not pull");
}

static void test_measures(void)
{
    static const float row[ROWS] = {1, 0.25f, 0, 0, 0, 0, 0, 0.5f, 0};
    double score[PACKS];
    loss_scores(&packs, row, score);
    is_near(score[3], 0.5, 1e-12, "a program's score is the sum of its rows");
    /* only program 3 is off, by 0.1, on 3 of 9 rows */
    is_near(loss_rmse(&packs, row), sqrt(3 * 0.01 / 9), 1e-6, "p-rmse counts every row");
    static const float worth[4] = {0.5f, 1, 0.25f, 0};
    static const double good[4] = {3, 4, 2, 1}, bad[4] = {2, 1, 3, 4};
    is_near(loss_peak(good, worth, 4, 2), 1, 1e-12, "a right order peaks at once");
    is_near(loss_peak(bad, worth, 4, 2), (0 + 0.25) / 2, 1e-12, "a wrong one late");
}

int main(void)
{
    test_gradient();
    test_measures();
    return done_testing();
}
