/* SPDX-License-Identifier: Apache-2.0 */
/* roofline: bounds computed by hand, the least bound of a row against all permutations, and the machine files' limits.
 */
#include "harness/released/droplet/roofline.h"

#include "harness/base/rng.h"
#include "tests/lib/fixture.h"
#include "tests/lib/tap.h"

#include <math.h>

static void test_seconds(void)
{
    struct machine m = {.peak_gflops = 1000, .memory_gb_s = 100, .cache_mib = 1};
    /* 512^3 matmul: 3 arguments of 1 MiB, more than twice 1 MiB: 31.46 us at 100 GB/s; 0.27 GFLOP: 268 us at 1 TFLOP/s
     */
    const struct task *t = fixture_task(arena, "matmul n=512 m=512 k=512");
    is_near(roofline_seconds(&m, t), 2.0 * 512 * 512 * 512 / 1e12, 1e-3,
            "a kernel of many operations is bound by them");
    m.peak_gflops = 1e6;
    is_near(roofline_seconds(&m, t), 3.0 * 1048576 / 1e11, 1e-9, "a kernel of many bytes is bound by them");
    m.cache_mib = 1.5;
    ok(roofline_seconds(&m, t) < 1e-6, "arguments that fit twice into the cache are not bound by memory");
    m = (struct machine){.peak_gflops = 1000};
    const struct task *c = fixture_task(arena, "conv2d ci=64 hi=56 wi=56 co=64 kh=3 kw=3 ph=1 pw=1");
    is_near(roofline_seconds(&m, c), c->flops / 4 / 1e12, 1e-12, "a convolution counts a quarter of its operations");
    m = (struct machine){0};
    ok(roofline_seconds(&m, t) == 0, "a machine without limits gives no bound");
}

/* The smallest bound row i has in any assignment that keeps every time at or above its bound; INFINITY: none. */
static double by_force(const double *times, const double *bounds, int n, int i)
{
    int order[6] = {0, 1, 2, 3, 4, 5};
    double least = INFINITY;
    int count[6] = {0}, at = 0;
    for (;;) { /* Heap's permutations */
        bool fit = true;
        for (int k = 0; k < n; k++)
            fit = fit && times[k] >= bounds[order[k]];
        if (fit)
            least = fmin(least, bounds[order[i]]);
        for (at = 0; at < n && count[at] >= at; at++)
            count[at] = 0;
        if (at == n)
            return least;
        int with = at % 2 ? count[at] : 0, kept = order[at];
        order[at] = order[with];
        order[with] = kept;
        count[at]++;
    }
}

static void test_least(void)
{
    struct rng rng;
    rng_seed(&rng, 7);
    int wrong = 0, fits = 0;
    for (int round = 0; round < 400; round++) {
        double times[6] = {0}, bounds[6] = {0}, least[6] = {0};
        int n = 1 + (int)rng_below(&rng, 6);
        for (int i = 0; i < n; i++) {
            times[i] = (double)rng_below(&rng, 12) + 2;
            bounds[i] = (double)rng_below(&rng, 9);
        }
        bool fit = roofline_least(times, bounds, n, least);
        fits += fit;
        wrong += fit != isfinite(by_force(times, bounds, n, 0));
        for (int i = 0; fit && i < n; i++)
            wrong += least[i] != by_force(times, bounds, n, i);
    }
    is_int(wrong, 0, "the least bound is that of all permutations, 400 times (%d of them fit)", fits);
}

static void test_machines(void)
{
    struct machine m;
    struct err err = {0};
    ok(machine_load(arena, "experiments", "a100", &m, &err) && m.memory_gb_s == 2039 && m.peak_gflops == 19500 &&
           m.cache_mib == 40,
       "the limits of the A100 are read %s", err.text);
    /* fc6 of AlexNet, 9216 to 4096: 151 MB of weights */
    double seconds = roofline_seconds(&m, fixture_task(arena, "dense n=1 ci=9216 co=4096 bias=1 relu=1"));
    ok(seconds > 74e-6 && seconds < 75e-6, "fc6 of AlexNet cannot take less than 74 us on the A100 (%g s)", seconds);
    ok(machine_load(arena, "experiments", "ryzen7-3700x", &m, &err) && m.peak_gflops == 1126,
       "the limits of the Ryzen are read");
    ok(machine_load(arena, "experiments", "host", &m, &err) && m.peak_gflops == 0, "the host has no limits on record");
}

int main(void)
{
    test_seconds();
    test_least();
    test_machines();
    return done_testing();
}
