/* SPDX-License-Identifier: Apache-2.0 */
/* factor: the ways to split a loop of a given extent into tiles (harness/doc/ansor.md, "Random annotation"). A scheme
 * for n lengths is an ordered tuple (l1 .. ln): l1 divides the extent, l2 divides what remains, and so on, and the last
 * one is at most a cap. Perfect factors only; the outermost part, extent / (l1 * .. * ln), is implied. Schemes come in
 * lexicographic order.
 *
 * Tables are kept for the life of the cache: one cache per searcher. factors_find adds tables and is for one thread;
 * the tables themselves may be read by all. */
#pragma once
#include "harness/base/arena.h"

#include <stdint.h>

struct schemes {
    int64_t extent, cap;
    int n;                  /* lengths per scheme */
    int64_t count;          /* number of schemes */
    const int64_t *lengths; /* [count][n] */
};
struct factors; /* the cache; lives in its arena */

struct factors *factors_new(struct arena *a);
const struct schemes *factors_find(struct factors *f, int64_t extent, int n, int64_t cap);

#define DIVISORS_MAX 1920                 /* no number below 2^32 has more */
#define DIVISORS_BELOW (INT64_C(1) << 32) /* larger loops are not split: 1 is given as the only divisor */
/* Ascending divisors of v >= 1, 1 and v included; returns their number. */
int divisors(int64_t v, int64_t out[DIVISORS_MAX]);
