/* SPDX-License-Identifier: Apache-2.0 */
/* factor: tile enumeration against brute force, and TVM's cap of 64 on the innermost length (TVM v0.16 utils.cc,
 * SplitFactorizationMemo). */
#include "search/sketch/factor.h"
#include "tests/lib/fixture.h"
#include "tests/lib/tap.h"

/* All tuples in 1..extent by counting, tested by the definition. */
static int64_t brute(int64_t extent, int n, int64_t cap)
{
    int64_t count = 0, t[3] = {1, 1, 1};
    for (;;) {
        int64_t rest = extent;
        bool fits = true;
        for (int i = 0; i < n && fits; i++) {
            fits = rest % t[i] == 0;
            rest /= t[i];
        }
        count += fits && t[n - 1] <= cap;
        int d = n - 1;
        while (d >= 0 && ++t[d] > extent)
            t[d--] = 1;
        if (d < 0)
            return count;
    }
}

static void check_members(const struct schemes *s)
{
    bool divide = true, ascending = true;
    for (int64_t i = 0; i < s->count; i++) {
        const int64_t *l = s->lengths + i * s->n;
        int64_t rest = s->extent;
        for (int k = 0; k < s->n; k++) {
            divide = divide && l[k] > 0 && rest % l[k] == 0;
            rest /= l[k] > 0 ? l[k] : 1;
        }
        divide = divide && l[s->n - 1] <= s->cap;
        if (i == 0)
            continue;
        int k = 0;
        while (k < s->n - 1 && l[k] == l[k - s->n])
            k++;
        ascending = ascending && l[k] > l[k - s->n];
    }
    ok(divide, "every tuple of tile lengths of extent %lld divides it and keeps the cap", (long long)s->extent);
    ok(ascending, "the tuples of tile lengths of extent %lld ascend, so none repeats", (long long)s->extent);
}

int main(void)
{
    struct factors *f = factors_new(arena);
    const int64_t extents[] = {1, 2, 7, 12, 13, 36, 64, 56, 60};
    for (size_t i = 0; i < sizeof extents / sizeof *extents; i++)
        for (int n = 1; n <= 3; n++)
            for (int64_t cap = 1; cap <= 64; cap *= 8) {
                const struct schemes *s = factors_find(f, extents[i], n, cap);
                is_int(s->count, brute(extents[i], n, cap),
                       "extent %lld in %d lengths with cap %lld has the tuples of a plain count", (long long)extents[i],
                       n, (long long)cap);
            }
    check_members(factors_find(f, 3136, 3, 64));
    check_members(factors_find(f, 512, 3, 64));
    check_members(factors_find(f, 97, 2, 64));
    /* 2^9 in three lengths and a rest is C(12,3) = 220 tuples; those whose last is 128, 256 or 512 number 6 + 3 + 1. */
    is_int(factors_find(f, 512, 3, 64)->count, 210, "512 in 4 parts, the innermost at most 64, has 210 tuples");
    is_int(factors_find(f, 512, 3, 512)->count, 220, "512 in 4 parts without the cap has all tuples");
    is_int(factors_find(f, 512, 1, 64)->count, 7, "512 in 2 parts has seven tuples under the cap of 64");
    is_int(factors_find(f, 512, 1, 16)->count, 5, "512 in 2 parts has five tuples under v0.7's cap of 16");
    ok(factors_find(f, 512, 3, 64) == factors_find(f, 512, 3, 64), "a table that was made is found again");
    is_int(factors_find(f, INT64_C(1) << 33, 3, 64)->count, 1, "loops beyond 2^32 are not split");
    int64_t d[DIVISORS_MAX];
    is_int(divisors(1, d), 1, "the number 1 has one divisor");
    is_int(divisors(36, d), 9, "the number 36 has nine divisors");
    is_int(d[4], 6, "the divisors of 36 come in order");
    is_int(divisors(3491888400, d), DIVISORS_MAX,
           "the number below 2^32 with most divisors has as many as there is room for");
    return done_testing();
}
