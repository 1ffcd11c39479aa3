/* SPDX-License-Identifier: Apache-2.0 */
/* hash: a multiply-and-fold hash in the manner of wyhash (16 bytes a step, read little-endian so that it is the same
 * on every machine). It names states and tasks. */
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
