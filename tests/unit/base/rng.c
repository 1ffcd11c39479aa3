/* SPDX-License-Identifier: Apache-2.0 */
/* rng: the stream is the published one. Vectors: splitmix64 from 1234567 (Rosetta Code, "Pseudo-random numbers/
 * Splitmix64"); xoshiro256** from state {1,2,3,4} (the test vector of Rust's rand_xoshiro, checked against the authors'
 * C). */
#include "harness/base/rng.h"
#include "tests/lib/tap.h"

static void test_vectors(void)
{
    static const uint64_t SPLITMIX[4] = {UINT64_C(6457827717110365317), UINT64_C(3203168211198807973),
                                         UINT64_C(9817491932198370423), UINT64_C(4593380528125082431)};
    static const uint64_t XOSHIRO[10] = {UINT64_C(11520),
                                         UINT64_C(0),
                                         UINT64_C(1509978240),
                                         UINT64_C(1215971899390074240),
                                         UINT64_C(1216172134540287360),
                                         UINT64_C(607988272756665600),
                                         UINT64_C(16172922978634559625),
                                         UINT64_C(8476171486693032832),
                                         UINT64_C(10595114339597558777),
                                         UINT64_C(2904607092377533576)};
    struct rng r;
    rng_seed(&r, 1234567);
    is_mem(r.s, SPLITMIX, sizeof SPLITMIX, "the state is seeded by splitmix64");
    r = (struct rng){{1, 2, 3, 4}};
    for (int i = 0; i < 10; i++)
        ok(rng_next(&r) == XOSHIRO[i], "output %d is that of xoshiro256**", i);
}

static void test_below(void)
{
    struct rng r;
    rng_seed(&r, 7);
    int count[5] = {0}, outside = 0;
    for (int i = 0; i < 50000; i++) {
        uint64_t v = rng_below(&r, 5);
        if (v < 5)
            count[v]++;
        else
            outside++;
    }
    is_int(outside, 0, "numbers below 5 stay below 5");
    double chi2 = 0;
    for (int i = 0; i < 5; i++)
        chi2 += (count[i] - 10000.0) * (count[i] - 10000.0) / 10000.0;
    ok(chi2 < 18.5, "numbers below 5 are uniform (chi-square %.2f with 4 degrees of freedom, 0.1 %% point 18.47)",
       chi2);
    ok(rng_below(&r, 0) == 0 && rng_below(&r, 1) == 0, "a number below 0 or below 1 is 0");
    /* 3 * 2^62: plain modulo would give the lowest third twice as often. */
    int low = 0;
    for (int i = 0; i < 3000; i++)
        low += rng_below(&r, UINT64_C(3) << 62) < (UINT64_C(1) << 62);
    ok(low > 850 && low < 1150, "numbers below 3 * 2^62 have no bias (%d of 3000 in the lowest third)", low);
}

static void test_unit(void)
{
    struct rng r;
    rng_seed(&r, 0);
    double sum = 0, least = 1, most = 0;
    for (int i = 0; i < 10000; i++) {
        double v = rng_unit(&r);
        sum += v;
        least = v < least ? v : least;
        most = v > most ? v : most;
    }
    ok(least >= 0 && most < 1, "unit numbers are in [0, 1)");
    ok(sum > 4900 && sum < 5100, "the mean of unit numbers is about a half (%g)", sum / 10000);
}

static void test_shuffle(void)
{
    struct rng a;
    rng_seed(&a, 3);
    int items[20], seen[20] = {0}, moved = 0;
    for (int i = 0; i < 20; i++)
        items[i] = i;
    rng_shuffle(&a, items, 20);
    for (int i = 0; i < 20; i++) {
        seen[items[i]]++;
        moved += items[i] != i;
    }
    int once = 0;
    for (int i = 0; i < 20; i++)
        once += seen[i] == 1;
    ok(once == 20 && moved > 10, "a shuffle is a permutation (it moves %d of 20)", moved);
}

int main(void)
{
    test_vectors();
    test_below();
    test_unit();
    test_shuffle();
    return done_testing();
}
