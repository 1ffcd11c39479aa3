/* SPDX-License-Identifier: Apache-2.0 */
/* optimiser: one step of gradient descent on an array of parameters, as PyTorch's Adam and SGD (without momentum) take
 * it: the decay is added to the gradient (decay times parameter), Adam's betas are 0.9 and 0.999, its epsilon 1e-8. */
#pragma once
#include <stddef.h>
#include <stdint.h>

enum optimiser_kind { OPTIMISER_ADAM, OPTIMISER_SGD };
struct optimiser {
    enum optimiser_kind kind;
    double rate, decay;
    size_t n;
    int64_t steps;             /* taken */
    float *mean, *mean_square; /* ADAM: running ones of the gradient */
};
/* The rest is zeroed; optimiser_close frees it. */
void optimiser_open(struct optimiser *o, size_t n);
void optimiser_step(struct optimiser *o, float *param, const float *gradient);
void optimiser_close(struct optimiser *o);
/* Scales the gradient so that its Euclidean norm is at most `most` (0: leaves it); gives the norm before. */
double gradient_clip(float *gradient, size_t n, double most);
