/* SPDX-License-Identifier: Apache-2.0 */
/* factor: enumeration of tile sizes, see factor.h. Two passes over the same recursion: the first counts, so that one
 * array of the right size holds all schemes; drawing a scheme uniformly is then one random number. */
#include "search/sketch/factor.h"

#include "harness/base/err.h"

struct factors {
    struct arena *arena;
    struct schemes **at;
    int n, cap;
};

struct factors *factors_new(struct arena *a)
{
    struct factors *f = ARENA_NEW(a, struct factors);
    f->arena = a;
    return f;
}

int divisors(int64_t v, int64_t out[DIVISORS_MAX])
{
    if (v < 1)
        bug("divisors of %lld", (long long)v);
    if (v >= DIVISORS_BELOW) {
        out[0] = 1;
        return 1;
    }
    int low = 0;
    for (int64_t d = 1; d * d <= v; d++)
        if (v % d == 0)
            out[low++] = d;
    int n = low;
    for (int i = low - 1; i >= 0; i--)
        if (out[i] != v / out[i])
            out[n++] = v / out[i];
    return n;
}

/* Walks all schemes from the given depth on; counts them and, when to is given, writes them. */
static void enumerate(int64_t remaining, int depth, int n, int64_t cap, int64_t *now, int64_t *count, int64_t *to)
{
    if (depth == n) {
        if (to)
            for (int i = 0; i < n; i++)
                to[*count * n + i] = now[i];
        ++*count;
        return;
    }
    int64_t at[DIVISORS_MAX];
    int m = divisors(remaining, at);
    for (int i = 0; i < m && (depth < n - 1 || at[i] <= cap); i++) {
        now[depth] = at[i];
        enumerate(remaining / at[i], depth + 1, n, cap, now, count, to);
    }
}

static struct schemes *schemes_make(struct arena *a, int64_t extent, int n, int64_t cap)
{
    int64_t now[16], count = 0;
    if (n < 1 || n > 16 || extent < 1)
        bug("%d lengths for extent %lld", n, (long long)extent);
    enumerate(extent, 0, n, cap, now, &count, NULL);
    int64_t *lengths = ARENA_ARRAY(a, int64_t, count *n + 1);
    count = 0;
    enumerate(extent, 0, n, cap, now, &count, lengths);
    struct schemes *s = ARENA_NEW(a, struct schemes);
    *s = (struct schemes){.extent = extent, .cap = cap, .n = n, .count = count, .lengths = lengths};
    return s;
}

const struct schemes *factors_find(struct factors *f, int64_t extent, int n, int64_t cap)
{
    for (int i = 0; i < f->n; i++)
        if (f->at[i]->extent == extent && f->at[i]->n == n && f->at[i]->cap == cap)
            return f->at[i];
    if (f->n == f->cap) {
        struct schemes **old = f->at;
        f->cap = f->cap ? 2 * f->cap : 16;
        f->at = ARENA_ARRAY(f->arena, struct schemes *, f->cap);
        for (int i = 0; i < f->n; i++)
            f->at[i] = old[i];
    }
    return f->at[f->n++] = schemes_make(f->arena, extent, n, cap);
}
