/* SPDX-License-Identifier: Apache-2.0 */
/* rng: xoshiro256** 1.0 of Blackman and Vigna (prng.di.unimi.it/xoshiro256starstar.c, public domain), state filled by
 * their splitmix64 as they advise. Bounded numbers by Lemire's multiplication with rejection (arXiv 1805.10941). */
#include "harness/base/rng.h"

__extension__ typedef unsigned __int128 wide;

static uint64_t rotate(uint64_t x, int k)
{
    return (x << k) | (x >> (64 - k));
}

void rng_seed(struct rng *r, uint64_t seed)
{
    for (int i = 0; i < 4; i++) {
        seed += UINT64_C(0x9e3779b97f4a7c15);
        uint64_t z = seed;
        z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
        z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
        r->s[i] = z ^ (z >> 31);
    }
}

uint64_t rng_next(struct rng *r)
{
    uint64_t *s = r->s;
    uint64_t result = rotate(s[1] * 5, 7) * 9;
    uint64_t t = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = rotate(s[3], 45);
    return result;
}

uint64_t rng_below(struct rng *r, uint64_t n)
{
    if (n == 0)
        return 0;
    wide product = (wide)rng_next(r) * n;
    if ((uint64_t)product < n) {
        uint64_t floor = (0 - n) % n;
        while ((uint64_t)product < floor)
            product = (wide)rng_next(r) * n;
    }
    return (uint64_t)(product >> 64);
}

double rng_unit(struct rng *r)
{
    return (double)(rng_next(r) >> 11) * 0x1p-53;
}

void rng_shuffle(struct rng *r, int *items, int n)
{
    for (int i = n - 1; i > 0; i--) {
        int j = (int)rng_below(r, (uint64_t)i + 1);
        int kept = items[i];
        items[i] = items[j];
        items[j] = kept;
    }
}
