/* SPDX-License-Identifier: Apache-2.0 */
/* optimiser: steps worked by hand from the published formulas; clipping; Adam finds the bottom of a bowl. */
#include "models/nn/optimiser.h"

#include "tests/lib/tap.h"

#include <math.h>

/* After one step Adam has moved each parameter by the rate, whatever the size of the gradient. */
static void test_adam(void)
{
    struct optimiser o = {.kind = OPTIMISER_ADAM, .rate = 0.1};
    float x[2] = {1, 1};
    static const float first[2] = {0.01f, -3}, second[2] = {0.02f, -3};
    optimiser_open(&o, 2);
    optimiser_step(&o, x, first);
    is_near((double)x[0], 0.9, 1e-5, "Adam's first step is its rate downhill");
    is_near((double)x[1], 1.1, 1e-5, "Adam's first step does not depend on the size of the slope");
    optimiser_step(&o, x, second);
    double mean = (0.9 * 0.1 * 0.01 + 0.1 * 0.02) / (1 - 0.81),
           square = (0.999 * 0.001 * 1e-4 + 0.001 * 4e-4) / (1 - 0.998001);
    is_near((double)x[0], 0.9 - 0.1 * mean / (sqrt(square) + 1e-8), 1e-5, "Adam's second step is worked by hand");
    optimiser_close(&o);
}

static void test_sgd(void)
{
    struct optimiser o = {.kind = OPTIMISER_SGD, .rate = 0.5, .decay = 0.1};
    float x[1] = {2};
    static const float slope[1] = {1};
    optimiser_open(&o, 1);
    optimiser_step(&o, x, slope);
    is_near((double)x[0], 2 - 0.5 * (1 + 0.1 * 2), 1e-6, "the decay is added to the slope");
    optimiser_close(&o);
}

static void test_clip(void)
{
    float g[2] = {3, 4};
    is_near(gradient_clip(g, 2, 0), 5, 1e-6, "the length of a gradient is returned");
    is_near((double)g[0], 3, 1e-6, "a limit of 0 leaves the gradient");
    gradient_clip(g, 2, 0.5);
    is_near((double)g[1], 0.4, 1e-5, "a gradient that is too long is made as long as the limit");
    gradient_clip(g, 2, 7);
    is_near((double)g[1], 0.4, 1e-5, "a gradient within the limit is left");
}

static void test_bowl(void)
{
    struct optimiser o = {.kind = OPTIMISER_ADAM, .rate = 0.01};
    float x[3] = {1, -2, 3};
    optimiser_open(&o, 3);
    for (int i = 0; i < 3000; i++) {
        float g[3] = {x[0], 10 * x[1], 100 * (x[2] - 1)};
        optimiser_step(&o, x, g);
    }
    ok(fabsf(x[0]) < 1e-2f && fabsf(x[1]) < 1e-2f && fabsf(x[2] - 1) < 1e-2f, "Adam finds the bottom of a bowl");
    optimiser_close(&o);
}

int main(void)
{
    test_adam();
    test_sgd();
    test_clip();
    test_bowl();
    return done_testing();
}
