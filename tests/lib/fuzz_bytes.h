/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_bytes: the input of a fuzzer, taken byte by byte. */
#pragma once
#include <stddef.h>
#include <stdint.h>

struct fuzz_bytes {
    const uint8_t *at;
    size_t left;
};

/* The next byte; 0 when they are used up. */
static inline int fuzz_next(struct fuzz_bytes *b)
{
    if (b->left == 0)
        return 0;
    b->left--;
    return *b->at++;
}
