/* SPDX-License-Identifier: Apache-2.0 */
/* optimiser: Adam (Kingma and Ba 2015, algorithm 1). */
#include "models/nn/optimiser.h"

#include "harness/base/err.h"

#include <math.h>
#include <stdlib.h>

static const double beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8;

void optimiser_open(struct optimiser *o, size_t n)
{
    o->n = n;
    o->steps = 0;
    o->mean = o->mean_square = NULL;
    if (o->kind == OPTIMISER_SGD)
        return;
    o->mean = calloc(n + 1, sizeof *o->mean);
    o->mean_square = calloc(n + 1, sizeof *o->mean_square);
    if (!o->mean || !o->mean_square)
        bug("out of memory");
}

void optimiser_close(struct optimiser *o)
{
    free(o->mean);
    free(o->mean_square);
    o->mean = o->mean_square = NULL;
}

static void adam_step(struct optimiser *o, float *param, const float *gradient)
{
    double near1 = 1 - pow(beta1, (double)o->steps), near2 = 1 - pow(beta2, (double)o->steps);
    float rate = (float)(o->rate / near1), root = (float)(1 / sqrt(near2)), b1 = (float)beta1, b2 = (float)beta2,
          decay = (float)o->decay, e = (float)epsilon;
    for (size_t i = 0; i < o->n; i++) {
        float g = gradient[i] + decay * param[i];
        o->mean[i] = b1 * o->mean[i] + (1 - b1) * g;
        o->mean_square[i] = b2 * o->mean_square[i] + (1 - b2) * g * g;
        param[i] -= rate * o->mean[i] / (sqrtf(o->mean_square[i]) * root + e);
    }
}

void optimiser_step(struct optimiser *o, float *param, const float *gradient)
{
    o->steps++;
    if (o->kind == OPTIMISER_ADAM) {
        adam_step(o, param, gradient);
        return;
    }
    for (size_t i = 0; i < o->n; i++)
        param[i] -= (float)o->rate * (gradient[i] + (float)o->decay * param[i]);
}

double gradient_clip(float *gradient, size_t n, double most)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += (double)gradient[i] * (double)gradient[i];
    double norm = sqrt(sum);
    if (most <= 0 || norm <= most)
        return norm;
    float factor = (float)(most / (norm + 1e-6)); /* as PyTorch has it */
    for (size_t i = 0; i < n; i++)
        gradient[i] *= factor;
    return norm;
}
