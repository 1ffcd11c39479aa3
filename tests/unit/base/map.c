/* SPDX-License-Identifier: Apache-2.0 */
/* map: against a plain array; and the hash its callers' keys come from. */
#include "harness/base/map.h"
#include "harness/base/hash.h"
#include "harness/base/rng.h"
#include "tests/lib/tap.h"

#include <string.h>

static void test_model(void)
{
    enum { KEYS = 3000 };
    static uint64_t truth[KEYS];
    static bool there[KEYS];
    struct map m = {0};
    struct rng r;
    rng_seed(&r, 2);
    int wrong = 0;
    size_t n = 0;
    for (int i = 0; i < 50000; i++) {
        uint64_t k = rng_below(&r, KEYS), key = k << 40, v = 0;
        if (i % 3) {
            v = rng_next(&r);
            wrong += map_put(&m, key, v) == there[k];
            n += !there[k];
            there[k] = true;
            truth[k] = v;
        } else {
            bool found = map_get(&m, key, &v);
            wrong += found != there[k] || (found && v != truth[k]);
        }
    }
    is_int(wrong, 0, "50000 random operations on a map agree with an array");
    is_int((int64_t)m.n, (int64_t)n, "a map counts its keys");
    ok(m.n * 3 <= m.cap * 2, "a map is at most two thirds full");
    map_clear(&m);
    ok(m.n == 0 && !map_get(&m, 0, NULL), "a cleared map holds nothing");
    ok(map_put(&m, 0, 1) && map_put(&m, UINT64_MAX, 2) && map_get(&m, 0, NULL) && map_get(&m, UINT64_MAX, NULL),
       "the extreme keys are keys");
    map_free(&m);
    ok(!map_get(&m, 0, NULL), "a map that was never filled holds nothing");
}

static void test_hash(void)
{
    ok(hash_str("abc") == hash_bytes("abc", 3, 0), "the hash of a string is that of its bytes");
    ok(hash_bytes("abc", 3, 0) != hash_bytes("abc", 3, 1), "the seed changes the hash");
    ok(hash_bytes("\0", 1, 0) != hash_bytes("\0\0", 2, 0), "the length changes the hash");
    ok(hash_mix(1, 2) != hash_mix(2, 1), "the order changes a mixed hash");
    /* Short texts that differ in little, as state texts do: no two of 200,000 hashes may meet (chance 1e-9). */
    struct map m = {0};
    int met = 0;
    for (int64_t i = 0; i < 100000; i++) {
        int64_t pair[2] = {i, i / 7};
        met += !map_put(&m, hash_bytes(&i, sizeof i, 0), 0);
        met += !map_put(&m, hash_bytes(pair, sizeof pair, 0), 0);
    }
    map_free(&m);
    is_int(met, 0, "200000 similar inputs have no collision");
    /* Each input bit flips about half of the output bits. */
    double flips = 0;
    unsigned char text[40] = "the quick brown fox jumps over the lazy";
    uint64_t base = hash_bytes(text, sizeof text, 0);
    int least = 64;
    for (int bit = 0; bit < (int)sizeof text * 8; bit++) {
        text[bit / 8] ^= (unsigned char)(1 << bit % 8);
        int flipped = __builtin_popcountll(base ^ hash_bytes(text, sizeof text, 0));
        least = flipped < least ? flipped : least;
        flips += flipped;
        text[bit / 8] ^= (unsigned char)(1 << bit % 8);
    }
    flips /= sizeof text * 8;
    ok(flips > 31 && flips < 33 && least > 10,
       "one flipped input bit flips half of the hash's bits (%.2f, at least %d)", flips, least);
}

int main(void)
{
    test_model();
    test_hash();
    return done_testing();
}
