/* SPDX-License-Identifier: Apache-2.0 */
/* rng: xoshiro256** seeded by splitmix64. The struct is the whole state: copy it to save it. All randomness comes from
 * here. */
#pragma once
#include <stdint.h>

struct rng {
    uint64_t s[4];
};

void rng_seed(struct rng *r, uint64_t seed); /* any seed, 0 included, is a fixed stream */
uint64_t rng_next(struct rng *r);
uint64_t rng_below(struct rng *r, uint64_t n); /* uniform in 0..n-1, unbiased; n = 0 gives 0 */
double rng_unit(struct rng *r);                /* uniform in [0,1) */
void rng_shuffle(struct rng *r, int *items, int n);
