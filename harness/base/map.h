/* SPDX-License-Identifier: Apache-2.0 */
/* map: open-addressing hash map from uint64_t keys (any value) to uint64_t values. Not thread-safe. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arena;
struct map {
    uint64_t *keys, *values;
    uint8_t *used;
    size_t n, cap;
};

void map_free(struct map *m);
void map_defer(struct map *m, struct arena *a); /* it is freed when the arena gives back what it holds now */
void map_clear(struct map *m);
bool map_get(const struct map *m, uint64_t key, uint64_t *value); /* value may be NULL */
bool map_put(struct map *m, uint64_t key, uint64_t value);        /* true if the key was new; otherwise overwrites */
