/* SPDX-License-Identifier: Apache-2.0 */
/* hash: 64-bit non-cryptographic hash: identity of states, cache keys. */
#pragma once
#include <stddef.h>
#include <stdint.h>

uint64_t hash_bytes(const void *p, size_t n, uint64_t seed); /* well mixed; stable across runs and machines */
uint64_t hash_str(const char *s);
uint64_t hash_mix(uint64_t a, uint64_t b);
