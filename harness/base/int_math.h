/* SPDX-License-Identifier: Apache-2.0 */
/* int_math: arithmetic of 64-bit integers: floor division, the greatest common divisor, and sums and products that
 * saturate at +-INT_SATURATED instead of overflowing. */
#pragma once
#include <stdint.h>

#define INT_SATURATED (INT64_MAX / 4) /* the sum of two such numbers still fits */

static inline int64_t int_saturate(int64_t v)
{
    return v > INT_SATURATED ? INT_SATURATED : v < -INT_SATURATED ? -INT_SATURATED : v;
}

static inline int64_t sat_add(int64_t a, int64_t b)
{
    return int_saturate(int_saturate(a) + int_saturate(b));
}

static inline int64_t sat_mul(int64_t a, int64_t b)
{
    int64_t r;
    if (__builtin_mul_overflow(a, b, &r))
        return (a < 0) == (b < 0) ? INT_SATURATED : -INT_SATURATED;
    return int_saturate(r);
}

/* Rounds towards minus infinity; b > 0. */
static inline int64_t floor_div(int64_t a, int64_t b)
{
    int64_t q = a / b;
    return q - (a % b < 0);
}

/* In 0..b-1; b > 0. */
static inline int64_t floor_mod(int64_t a, int64_t b)
{
    int64_t r = a % b;
    return r < 0 ? r + b : r;
}

/* The least multiple of by that is at least n; n >= 0, by > 0, their sum in range. */
static inline int64_t round_up(int64_t n, int64_t by)
{
    return (n + by - 1) / by * by;
}

static inline int64_t gcd(int64_t a, int64_t b)
{
    a = a < 0 ? -a : a;
    b = b < 0 ? -b : b;
    while (b) {
        int64_t r = a % b;
        a = b;
        b = r;
    }
    return a;
}
