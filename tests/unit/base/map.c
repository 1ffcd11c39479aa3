/* SPDX-License-Identifier: Apache-2.0 */
/* map: against a plain array; and the hash its callers' keys come from. SHA-256 vectors: FIPS 180-4 examples of NIST.
 */
#include "harness/base/map.h"
#include "harness/base/hash.h"
#include "harness/base/rng.h"
#include "tests/lib/tap.h"

#include <stdlib.h>
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
    is_int(wrong, 0, "50000 random operations agree with an array");
    is_int((int64_t)m.n, (int64_t)n, "count");
    ok(m.n * 3 <= m.cap * 2, "at most two thirds full");
    map_clear(&m);
    ok(m.n == 0 && !map_get(&m, 0, NULL), "cleared");
    ok(map_put(&m, 0, 1) && map_put(&m, UINT64_MAX, 2) && map_get(&m, 0, NULL) && map_get(&m, UINT64_MAX, NULL),
       "the extreme keys are keys");
    map_free(&m);
    ok(!map_get(&m, 0, NULL), "an empty map has nothing");
}

static void test_hash(void)
{
    ok(hash_str("abc") == hash_bytes("abc", 3, 0), "a string is its bytes");
    ok(hash_bytes("abc", 3, 0) != hash_bytes("abc", 3, 1), "the seed matters");
    ok(hash_bytes("\0", 1, 0) != hash_bytes("\0\0", 2, 0), "the length matters");
    ok(hash_mix(1, 2) != hash_mix(2, 1), "the order matters");
    /* Short texts that differ in little, as state texts do: no two of 200,000 hashes may meet (chance 1e-9). */
    struct map m = {0};
    int met = 0;
    for (int64_t i = 0; i < 100000; i++) {
        int64_t pair[2] = {i, i / 7};
        met += !map_put(&m, hash_bytes(&i, sizeof i, 0), 0);
        met += !map_put(&m, hash_bytes(pair, sizeof pair, 0), 0);
    }
    map_free(&m);
    is_int(met, 0, "no collision among 200000 similar inputs");
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
    ok(flips > 31 && flips < 33 && least > 10, "avalanche: %.2f bits flip, at least %d", flips, least);
}

static void test_sha256(void)
{
    char hex[65];
    hash_sha256("", 0, hex);
    is_str(hex, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855", "SHA-256 of nothing");
    hash_sha256("abc", 3, hex);
    is_str(hex, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad", "SHA-256 of abc");
    const char *two = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
    hash_sha256(two, strlen(two), hex);
    is_str(hex, "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1", "SHA-256 of two blocks");
    enum { MILLION = 1000000 };
    char *many = malloc(MILLION);
    if (!many)
        return;
    memset(many, 'a', MILLION);
    hash_sha256(many, MILLION, hex);
    is_str(hex, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0", "SHA-256 of a million a");
    free(many);
}

int main(void)
{
    test_model();
    test_hash();
    test_sha256();
    return done_testing();
}
