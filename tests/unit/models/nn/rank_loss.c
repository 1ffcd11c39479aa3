/* SPDX-License-Identifier: Apache-2.0 */
/* rank_loss: slopes against finite differences; lambda-rank of three programs by hand; clamps; perfect order. */
#include "models/nn/rank_loss.h"

#include "harness/base/rng.h"
#include "tests/lib/random_data.h"
#include "tests/lib/tap.h"

#include <math.h>

enum { N = 24 };

static double loss_at(enum rank_loss kind, float *score, const float *label, int i, double to)
{
    float unused[N], kept = score[i];
    score[i] = (float)to;
    double loss = rank_loss(kind, score, label, N, unused);
    score[i] = kept;
    return loss;
}

static void test_slopes(enum rank_loss kind)
{
    float score[N], label[N], slope[N];
    struct rng rng;
    double worst = 0, most = 0;
    rng_seed(&rng, 4);
    for (int i = 0; i < N; i++) {
        score[i] = (float)(2 * i % N) / 4 + 0.1f; /* no two so near that a step swaps them */
        score[i] += i < N / 2 ? 0 : 0.125f;
        label[i] = i % 5 ? (float)rng_unit(&rng) : 0.5f;
    }
    rank_loss(kind, score, label, N, slope);
    for (int i = 0; i < N; i++) {
        double h = 1. / 64, s = (double)score[i];
        double want = (loss_at(kind, score, label, i, s + h) - loss_at(kind, score, label, i, s - h)) / (2 * h);
        worst = fmax(worst, fabs(want - (double)slope[i]));
        most = fmax(most, fabs(want));
    }
    ok(worst < 1e-3 * most, "%s: slopes are the differences of the loss (off by %.1e of %.2g)", rank_loss_names[kind],
       worst, most);
}

/* Labels 1, 1/2, 0 in the order of scores 1/2, 1, 0: 2^label - 1 = 1, sqrt 2 - 1, 0. */
static void test_by_hand(void)
{
    static const float score[] = {0.5f, 1, 0}, label[] = {1, 0.5f, 0};
    float slope[3];
    double half = sqrt(2) - 1, most = 1 + half / log2(3), g[] = {half / most, 1 / most, 0}, d[] = {1, 1 / log2(3), 0.5};
    double want = (d[0] - d[1]) * (g[1] - g[0]) * log2(1 + exp(0.5)) + (d[0] - d[2]) * g[0] * log2(1 + exp(-1)) +
                  (d[1] - d[2]) * g[1] * log2(1 + exp(-0.5));
    is_near(rank_loss(RANK_LAMBDA, score, label, 3, slope), want, 1e-6, "lambda-rank of three is worked by hand");
    ok(slope[0] < 0 && slope[2] > 0, "the best program is pulled up and the worst is pushed down");
    is_near(rank_loss(RANK_RANKNET, score, label, 3, slope),
            (log(1 + exp(0.5)) + log(1 + exp(-0.5)) + log(1 + exp(-1))) / 3, 1e-6,
            "RankNet's loss is the mean over three pairs");
    is_near(rank_loss(RANK_MSE, score, label, 3, slope),
            (pow(1 / (1 + exp(-0.5)) - 1, 2) + pow(1 / (1 + exp(-1)) - 0.5, 2) + 0.25) / 3, 1e-6,
            "the squared error is that of the sigmoid");
}

static void test_limits(void)
{
    static const float score[] = {-400, 400}, label[] = {1, 0}, same[] = {0.5f, 0.5f};
    float slope[2];
    double loss = rank_loss(RANK_LAMBDA, score, label, 2, slope), weight = 1 - 1 / log2(3);
    is_near(loss, weight * -log2(1e-10), 1e-6, "a hopeless pair counts as one of probability 1e-10");
    ok(slope[0] == 0 && slope[1] == 0, "a clamped pair has no slope");
    ok(rank_loss(RANK_LAMBDA, score, same, 2, slope) == 0 && slope[0] == 0, "equal labels are no pair");
}

int main(void)
{
    for (enum rank_loss kind = 0; kind < RANK_LOSS_COUNT; kind++)
        test_slopes(kind);
    test_by_hand();
    test_limits();
    return done_testing();
}
