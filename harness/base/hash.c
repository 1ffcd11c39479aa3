/* SPDX-License-Identifier: Apache-2.0 */
/* hash: a multiply-and-fold hash in the manner of wyhash (16 bytes a step, read little-endian so that it is the same
 * on every machine), and SHA-256 after FIPS 180-4. The first names states and tasks in memory, the second experiment
 * files. */
#include "harness/base/hash.h"

#include <string.h>

__extension__ typedef unsigned __int128 wide;

static const uint64_t KEY[3] = {UINT64_C(0xa0761d6478bd642f), UINT64_C(0xe7037ed1a0b428db),
                                UINT64_C(0x8ebc6af09c88c6e3)};

static uint64_t fold(uint64_t a, uint64_t b)
{
    wide product = (wide)a * b;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

static uint64_t load64(const unsigned char *p)
{
    uint64_t v;
    memcpy(&v, p, 8);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    v = __builtin_bswap64(v);
#endif
    return v;
}

/* Up to 8 bytes, zero-extended; the length goes into the hash apart. */
static uint64_t load_tail(const unsigned char *p, size_t n)
{
    uint64_t v = 0;
    for (size_t i = 0; i < n; i++)
        v |= (uint64_t)p[i] << (8 * i);
    return v;
}

uint64_t hash_mix(uint64_t a, uint64_t b)
{
    return fold(a ^ KEY[0], fold(b ^ KEY[1], KEY[2]) + b);
}

uint64_t hash_bytes(const void *p, size_t n, uint64_t seed)
{
    const unsigned char *at = p;
    uint64_t h = seed ^ KEY[0];
    size_t left = n;
    for (; left >= 16; at += 16, left -= 16)
        h = fold(load64(at) ^ KEY[1], load64(at + 8) ^ h) + h;
    uint64_t a = 0, b = 0;
    if (left > 8) {
        a = load64(at);
        b = load_tail(at + 8, left - 8);
    } else {
        a = load_tail(at, left);
    }
    h = fold(a ^ KEY[1], b ^ h) + h;
    return fold(h ^ KEY[2], (uint64_t)n ^ KEY[1]);
}

uint64_t hash_str(const char *s)
{
    return hash_bytes(s, strlen(s), 0);
}

static const uint32_t ROUND[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static uint32_t rotate(uint32_t x, int k)
{
    return (x >> k) | (x << (32 - k));
}

static void sha256_block(uint32_t state[8], const unsigned char *p)
{
    uint32_t w[64];
    for (int i = 0; i < 16; i++, p += 4)
        w[i] = (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
    for (int i = 16; i < 64; i++) {
        uint32_t s0 = rotate(w[i - 15], 7) ^ rotate(w[i - 15], 18) ^ (w[i - 15] >> 3);
        uint32_t s1 = rotate(w[i - 2], 17) ^ rotate(w[i - 2], 19) ^ (w[i - 2] >> 10);
        w[i] = w[i - 16] + s0 + w[i - 7] + s1;
    }
    uint32_t v[8];
    memcpy(v, state, sizeof v);
    for (int i = 0; i < 64; i++) {
        uint32_t s1 = rotate(v[4], 6) ^ rotate(v[4], 11) ^ rotate(v[4], 25);
        uint32_t s0 = rotate(v[0], 2) ^ rotate(v[0], 13) ^ rotate(v[0], 22);
        uint32_t t1 = v[7] + s1 + ((v[4] & v[5]) ^ (~v[4] & v[6])) + ROUND[i] + w[i];
        uint32_t t2 = s0 + ((v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]));
        memmove(v + 1, v, 7 * sizeof *v);
        v[4] += t1;
        v[0] = t1 + t2;
    }
    for (int i = 0; i < 8; i++)
        state[i] += v[i];
}

void hash_sha256(const void *p, size_t n, char hex[65])
{
    uint32_t state[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                         0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    const unsigned char *at = p;
    size_t left = n;
    for (; left >= 64; at += 64, left -= 64)
        sha256_block(state, at);
    unsigned char last[128] = {0};
    if (left)
        memcpy(last, at, left);
    last[left] = 0x80;
    size_t blocks = left < 56 ? 1 : 2;
    for (int i = 0; i < 8; i++)
        last[blocks * 64 - 1 - (size_t)i] = (unsigned char)((uint64_t)n * 8 >> (8 * i));
    for (size_t i = 0; i < blocks; i++)
        sha256_block(state, last + 64 * i);
    for (int i = 0; i < 64; i++)
        hex[i] = "0123456789abcdef"[state[i / 8] >> (28 - 4 * (i % 8)) & 15];
    hex[64] = 0;
}
