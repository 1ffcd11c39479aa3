/* SPDX-License-Identifier: Apache-2.0 */
/* rank_loss: every loss over pairs is one function of the difference of two scores and of a weight. */
#include "models/nn/rank_loss.h"

#include "harness/base/err.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LEAST 1e-10

const char *const rank_loss_names[RANK_LOSS_COUNT + 1] = {
#define X(id, word) [RANK_##id] = word,
    RANK_LOSSES(X)
#undef X
};

struct ranked { /* one score in falling order */
    int i;
    float score;
    double label, gain, discount; /* discount: 1 / D */
};

static int falling(const void *x, const void *y)
{
    const struct ranked *a = x, *b = y;
    return a->score > b->score ? -1 : a->score < b->score ? 1 : a->i - b->i;
}

static int falling_label(const void *x, const void *y)
{
    double a = *(const double *)x, b = *(const double *)y;
    return (a < b) - (a > b);
}

static void *array(size_t n, size_t size)
{
    void *at = calloc(n + 1, size);
    if (!at)
        bug("out of memory");
    return at;
}

/* The gain of the best order. */
static double most_gain(const struct ranked *r, int n)
{
    double *label = array((size_t)n, sizeof *label), sum = 0;
    for (int i = 0; i < n; i++)
        label[i] = r[i].label;
    qsort(label, (size_t)n, sizeof *label, falling_label);
    for (int i = 0; i < n; i++)
        sum += (exp2(label[i]) - 1) / log2(2. + i);
    free(label);
    return sum > LEAST ? sum : LEAST;
}

static struct ranked *ranks(const float *score, const float *label, int n)
{
    struct ranked *r = array((size_t)n, sizeof *r);
    for (int i = 0; i < n; i++)
        r[i] = (struct ranked){.i = i, .score = score[i], .label = label[i] > 0 ? (double)label[i] : 0};
    qsort(r, (size_t)n, sizeof *r, falling);
    double most = most_gain(r, n);
    for (int i = 0; i < n; i++) {
        r[i].discount = 1 / log2(2. + i);
        r[i].gain = (exp2(r[i].label) - 1) / most;
    }
    return r;
}

/* Of one pair, minus the logarithm to base 2; *slope: by the difference of the scores. */
static double lambda_pair(double difference, double weight, double *slope)
{
    double bits = log1p(exp(-difference)) / M_LN2, share = 1 / (1 + exp(difference)); /* 1 - sigmoid */
    *slope = 0;
    if (bits >= -log2(LEAST)) /* the first clamp */
        bits = -log2(LEAST);
    else if (weight * bits < -log2(LEAST))
        *slope = -weight * share / M_LN2;
    return fmin(weight * bits, -log2(LEAST));
}

static double lambda_loss(const float *score, const float *label, int n, float *slope)
{
    struct ranked *r = ranks(score, label, n);
    double *sum = array((size_t)n, sizeof *sum), loss = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++) {
            if (r[i].label == r[j].label)
                continue;
            double d, weight = fabs(r[i].discount - r[j].discount) * fabs(r[i].gain - r[j].gain);
            int better = r[i].label > r[j].label ? i : j, worse = i + j - better;
            loss += lambda_pair((double)r[better].score - (double)r[worse].score, weight, &d);
            sum[better] += d;
            sum[worse] -= d;
        }
    for (int i = 0; i < n; i++)
        slope[r[i].i] = (float)sum[i];
    free(sum);
    free(r);
    return loss;
}

static double ranknet_loss(const float *score, const float *label, int n, float *slope)
{
    double *sum = array((size_t)n, sizeof *sum), loss = 0;
    int64_t pairs = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            if (!(label[i] > label[j]))
                continue;
            double d = (double)score[i] - (double)score[j], share = 1 / (1 + exp(d));
            loss += d > 0 ? log1p(exp(-d)) : log1p(exp(d)) - d;
            sum[i] -= share;
            sum[j] += share;
            pairs++;
        }
    for (int i = 0; i < n; i++)
        slope[i] = pairs ? (float)(sum[i] / (double)pairs) : 0;
    free(sum);
    return pairs ? loss / (double)pairs : 0;
}

static double mse_loss(const float *score, const float *label, int n, float *slope)
{
    double loss = 0;
    for (int i = 0; i < n; i++) {
        double y = 1 / (1 + exp(-(double)score[i])), d = y - (double)label[i];
        loss += d * d / n;
        slope[i] = (float)(2 * d * y * (1 - y) / n);
    }
    return loss;
}

/* log of the sum of exponentials. */
static double log_sum(const float *at, int n)
{
    double most = (double)at[0], sum = 0;
    for (int i = 1; i < n; i++)
        most = fmax(most, (double)at[i]);
    for (int i = 0; i < n; i++)
        sum += exp((double)at[i] - most);
    return most + log(sum);
}

static double listnet_loss(const float *score, const float *label, int n, float *slope)
{
    double of_scores = log_sum(score, n), of_labels = log_sum(label, n), loss = 0;
    for (int i = 0; i < n; i++) {
        double p = exp((double)label[i] - of_labels), q = exp((double)score[i] - of_scores);
        loss -= p * ((double)score[i] - of_scores);
        slope[i] = (float)(q - p);
    }
    return loss;
}

double rank_loss(enum rank_loss kind, const float *score, const float *label, int n, float *slope)
{
    if (n == 0)
        return 0;
    switch (kind) {
    case RANK_LAMBDA:
        return lambda_loss(score, label, n, slope);
    case RANK_MSE:
        return mse_loss(score, label, n, slope);
    case RANK_RANKNET:
        return ranknet_loss(score, label, n, slope);
    case RANK_LISTNET:
        return listnet_loss(score, label, n, slope);
    case RANK_LOSS_COUNT:
        break;
    }
    bug("loss %d", (int)kind);
}
