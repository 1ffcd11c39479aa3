/* SPDX-License-Identifier: Apache-2.0 */
/* half: all float16 numbers come back from their value; values between two go to the nearer one, of two as near to the
 * even one, as the hardware's conversions do (F16C, where this machine has it). Inputs of float16 are read as such by
 * the interpreters. */
#include "harness/program/ir/half.h"

#include "harness/program/lower/lower.h"
#include "tests/lib/fixture.h"
#include "tests/lib/interp_nest.h"
#include "tests/lib/random_schedule.h"
#include "tests/lib/tap.h"

#include <math.h>
#ifdef __x86_64__
#include <immintrin.h>
#endif

static bool is_nan(unsigned bits)
{
    return (bits & 0x7c00u) == 0x7c00u && (bits & 0x3ffu);
}

static void test_all(void)
{
    int back = 0, between = 0, nan = 0;
    for (unsigned b = 0; b < 1u << 16; b++) {
        if (is_nan(b)) {
            nan += isnan(half_value((uint16_t)b)) && is_nan(half_bits(half_value((uint16_t)b)));
            continue;
        }
        back += half_bits(half_value((uint16_t)b)) == b;
        if ((b & 0x7fffu) >= 0x7bffu) /* the greatest and infinity */
            continue;
        double low = half_value((uint16_t)b), high = half_value((uint16_t)(b + 1)), middle = (low + high) / 2;
        between += half_bits(middle) == (b % 2 ? b + 1 : b) && half_bits(middle + (low - middle) * 1e-6) == b &&
                   half_bits(middle + (high - middle) * 1e-6) == b + 1;
    }
    is_int(nan, 2 * 1023, "what is no number stays none");
    is_int(back, 65536 - 2 * 1023, "all other float16 come back from their value");
    is_int(between, 2 * 0x7bff, "what lies between two goes to the nearer one, from the middle to the even one");
    ok(half_bits(65519.9) == 0x7bff && half_bits(65520) == 0x7c00 && half_bits(-1e300) == 0xfc00 &&
           half_bits(1e-300) == 0 && half_bits(-0.0) == 0x8000 && half_value(0x3555) == 0.333251953125,
       "too great is infinity, too small is zero with its sign, 0x3555 is a third");
}

#ifdef __x86_64__
__attribute__((target("f16c"))) static bool hardware_agrees(float v)
{
    return half_bits((double)v) == _cvtss_sh(v, 0);
}
#endif

static void test_hardware(void)
{
#ifdef __x86_64__
    if (__builtin_cpu_supports("f16c")) {
        struct rng r;
        int agree = 0;
        rng_seed(&r, 1);
        for (int i = 0; i < 100000; i++)
            agree += hardware_agrees((float)ldexp(rng_unit(&r) - 0.5, (int)rng_below(&r, 44) - 27));
        is_int(agree, 100000, "floats become the float16 that the processor makes of them");
        return;
    }
#endif
    skip("this processor has no F16C", "floats become the float16 that the processor makes of them");
}

static void test_nest(const char *spec)
{
    struct trial_task t;
    struct nest *n;
    struct rng r;
    struct err err = {0};
    void *args[32];
    rng_seed(&r, 2);
    bool fine = random_schedule_task(arena, spec, &r, &t, &err) &&
                lower_steps(arena, t.task, NULL, 0, LAYOUT_NONE, &n, &err) && nest_check(n, &err);
    if (fine) {
        random_schedule_args(arena, &t, n, args);
        fine = interp_nest(n, args, 0, &err) && random_schedule_same(&t, args[t.task->nargs - 1], &err);
    }
    ok(fine && n->buffers[0]->dtype == DTYPE_F16 && n->buffers[n->nargs - 1]->dtype == DTYPE_F32,
       "%s: the graph's result in float32 %s", spec, err.text);
}

int main(void)
{
    test_all();
    test_hardware();
    test_nest("matmul n=6 m=5 k=7 dtype=float16");
    test_nest("dense n=3 ci=10 co=7 bias=1 relu=1 dtype=float16");
    test_nest("batch_matmul b=2 n=4 m=3 k=5 dtype=float16");
    test_nest("conv2d ci=4 hi=5 wi=6 co=3 kh=3 kw=3 ph=1 pw=1 layout=nhwc bias=1 relu=1 dtype=float16");
    test_nest("conv2d ci=4 hi=5 wi=6 co=3 kh=3 kw=2 sh=2 layout=nchw dtype=float16");
    test_nest("conv2d ci=4 hi=5 wi=6 co=6 kh=3 kw=3 ph=1 pw=1 cib=2 cob=3 add=1 dtype=float16");
    test_nest("conv3d ci=2 di=3 hi=4 wi=5 co=3 kd=2 kh=3 kw=3 ph=1 pw=1 relu=1 dtype=float16");
    return done_testing();
}
