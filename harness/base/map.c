/* SPDX-License-Identifier: Apache-2.0 */
/* map: linear probing in a power-of-two table kept at most 2/3 full. Keys are mixed first because callers use small
 * numbers and pointers as keys as well as hashes. There is no removal, so there are no tombstones. */
#include "harness/base/map.h"

#include "harness/base/arena.h"
#include "harness/base/err.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static size_t map_home(const struct map *m, uint64_t key)
{
    key ^= key >> 32;
    key *= UINT64_C(0x9e3779b97f4a7c15);
    return (size_t)(key ^ (key >> 29)) & (m->cap - 1);
}

/* The slot of key, or the empty slot where it would go. The table is never full. */
static size_t map_slot(const struct map *m, uint64_t key)
{
    size_t i = map_home(m, key);
    while (m->used[i] && m->keys[i] != key)
        i = (i + 1) & (m->cap - 1);
    return i;
}

void map_free(struct map *m)
{
    free(m->keys);
    free(m->values);
    free(m->used);
    *m = (struct map){0};
}

static void free_deferred(void *m)
{
    map_free(m);
}

void map_defer(struct map *m, struct arena *a)
{
    arena_defer(a, free_deferred, m);
}

void map_clear(struct map *m)
{
    m->n = 0;
    if (m->cap)
        memset(m->used, 0, m->cap);
}

static void map_grow(struct map *m)
{
    struct map big = {.cap = m->cap ? m->cap * 2 : 16};
    big.keys = malloc(big.cap * sizeof *big.keys);
    big.values = malloc(big.cap * sizeof *big.values);
    big.used = calloc(big.cap, 1);
    if (!big.keys || !big.values || !big.used) {
        fprintf(stderr, "raingauge: out of memory: map of %zu slots\n", big.cap);
        _exit(EXIT_INTERNAL);
    }
    for (size_t i = 0; i < m->cap; i++) {
        if (!m->used[i])
            continue;
        size_t at = map_slot(&big, m->keys[i]);
        big.used[at] = 1;
        big.keys[at] = m->keys[i];
        big.values[at] = m->values[i];
    }
    big.n = m->n;
    map_free(m);
    *m = big;
}

bool map_get(const struct map *m, uint64_t key, uint64_t *value)
{
    if (!m->n)
        return false;
    size_t i = map_slot(m, key);
    if (!m->used[i])
        return false;
    if (value)
        *value = m->values[i];
    return true;
}

bool map_put(struct map *m, uint64_t key, uint64_t value)
{
    if ((m->n + 1) * 3 > m->cap * 2)
        map_grow(m);
    size_t i = map_slot(m, key);
    bool fresh = !m->used[i];
    m->used[i] = 1;
    m->keys[i] = key;
    m->values[i] = value;
    m->n += fresh;
    return fresh;
}
