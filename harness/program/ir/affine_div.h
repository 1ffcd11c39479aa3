/* SPDX-License-Identifier: Apache-2.0 */
/* affine_div: what affine.c and affine_div.c share, and arithmetic that saturates for bound.c and lower.c. */
#pragma once
#include "harness/program/ir/affine.h"

#define SATURATED (INT64_MAX / 4)

static inline int64_t clamp(int64_t v)
{
    return v > SATURATED ? SATURATED : v < -SATURATED ? -SATURATED : v;
}

static inline int64_t sat_add(int64_t a, int64_t b)
{
    return clamp(clamp(a) + clamp(b));
}

static inline int64_t sat_mul(int64_t a, int64_t b)
{
    int64_t r;
    if (__builtin_mul_overflow(a, b, &r))
        return (a < 0) == (b < 0) ? SATURATED : -SATURATED;
    return clamp(r);
}

static inline int64_t floor_div(int64_t a, int64_t b)
{
    int64_t q = a / b;
    return q - (a % b < 0);
}

static inline int64_t floor_mod(int64_t a, int64_t b)
{
    int64_t r = a % b;
    return r < 0 ? r + b : r;
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

int atoms_push(struct atoms *p, struct atom at); /* its number */
/* a + c*b, term lists merged, nothing put together. */
struct affine affine_merge(struct atoms *p, struct affine a, struct affine b, int64_t c);
/* Puts one pair c*(x//c) + x%c (giving x) or c*((x//c)%b) + x%c (giving x%(b*c)) together; false when there is none. */
bool affine_recombine(struct atoms *p, struct affine *a);
