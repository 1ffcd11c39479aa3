/* SPDX-License-Identifier: Apache-2.0 */
/* loss: gradient and hessian against finite differences on random programs and by hand (TVM v0.16 xgb_model.py,
 * pack_sum_square_error), the error measure and the monitor by hand. */
#include "models/loss.h"

#include "harness/base/rng.h"
#include "tests/lib/tap.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { PACKS = 4, ROWS = 9 };
static const int first[PACKS + 1] = {0, 1, 4, 6, 9};
static const float label[PACKS] = {1, 0.25f, 0, 0.6f};
static const struct packs packs = {.n = PACKS, .first = first, .label = label};

/* The loss whose gradient is taken: over programs, 1/2 * label * (score - label)^2. */
static double loss_value(const struct packs *p, const float *row)
{
    double *score = calloc((size_t)p->n, sizeof *score), sum = 0;
    loss_scores(p, row, score);
    for (int i = 0; i < p->n; i++)
        sum += 0.5 * (double)p->label[i] * (score[i] - (double)p->label[i]) * (score[i] - (double)p->label[i]);
    free(score);
    return sum;
}

/* The loss is quadratic in every row, so central differences are exact but for rounding; the step is exact in binary.
 */
static void check_gradient(const struct packs *p, float *row, const char *what)
{
    int n = p->first[p->n];
    float *gradient = calloc((size_t)n, sizeof *gradient), *hessian = calloc((size_t)n, sizeof *hessian);
    double step = 0.0625, worst1 = 0, worst2 = 0;
    loss_gradient(p, row, gradient, hessian);
    for (int i = 0; i < n; i++) {
        float keep = row[i];
        double middle = loss_value(p, row);
        row[i] = keep + (float)step;
        double up = loss_value(p, row), above = (double)row[i] - (double)keep;
        row[i] = keep - (float)step;
        double down = loss_value(p, row), below = (double)keep - (double)row[i];
        row[i] = keep;
        double slope = ((up - middle) / above * below + (middle - down) / below * above) / (above + below);
        double bend = 2 * ((up - middle) / above - (middle - down) / below) / (above + below);
        worst1 = fmax(worst1, fabs(slope - (double)gradient[i]));
        worst2 = fmax(worst2, fabs(bend - (double)hessian[i]));
    }
    ok(worst1 < 1e-5, "%s: the gradient is the slope of the loss (off by %.1e)", what, worst1);
    ok(worst2 < 1e-4, "%s: the hessian is its curvature in one row (off by %.1e)", what, worst2);
    free(gradient);
    free(hessian);
}

static void test_gradient(void)
{
    float row[ROWS], gradient[ROWS], hessian[ROWS];
    struct rng rng;
    rng_seed(&rng, 1);
    for (int i = 0; i < ROWS; i++)
        row[i] = (float)(rng_unit(&rng) - 0.3);
    check_gradient(&packs, row, "four programs");
    loss_gradient(&packs, row, gradient, hessian);
    ok(gradient[4] == 0 && gradient[5] == 0 && hessian[4] == 0, "a program of label 0 has no gradient");
    ok(gradient[1] == gradient[2] && gradient[2] == gradient[3], "rows of one program have equal gradients");
    is_near(gradient[0], (double)row[0] - 1, 1e-6, "the gradient of one row with label 1 is its error");
    double sum = (double)row[6] + (double)row[7] + (double)row[8];
    is_near(gradient[7], (double)0.6f * (sum - (double)0.6f), 1e-6,
            "the gradient under label 0.6 is the error weighted by 0.6");
}

/* Programs of 1 to 12 rows, predictions far off and near, an eighth of the labels 0. */
static void test_random_gradients(void)
{
    enum { MANY = 60 };
    struct rng rng;
    rng_seed(&rng, 2);
    for (int k = 0; k < 4; k++) {
        int many[MANY + 1] = {0};
        float labels[MANY], row[12 * MANY];
        char what[40];
        for (int i = 0; i < MANY; i++) {
            many[i + 1] = many[i] + 1 + (int)rng_below(&rng, 12);
            labels[i] = rng_below(&rng, 8) ? (float)rng_unit(&rng) : 0;
        }
        for (int i = 0; i < many[MANY]; i++)
            row[i] = (float)((rng_unit(&rng) - 0.4) * (k + 1));
        snprintf(what, sizeof what, "%d programs, %d rows", MANY, many[MANY]);
        check_gradient(&(struct packs){.n = MANY, .first = many, .label = labels}, row, what);
    }
}

static void test_measures(void)
{
    static const float row[ROWS] = {1, 0.25f, 0, 0, 0, 0, 0, 0.5f, 0};
    double score[PACKS];
    loss_scores(&packs, row, score);
    is_near(score[3], 0.5, 1e-12, "a program's score is the sum of its rows");
    /* only program 3 is off, by 0.1, on 3 of 9 rows */
    is_near(loss_rmse(&packs, row), sqrt(3 * 0.01 / 9), 1e-6, "the p-rmse counts every row of a program");
}

int main(void)
{
    test_gradient();
    test_random_gradients();
    test_measures();
    return done_testing();
}
