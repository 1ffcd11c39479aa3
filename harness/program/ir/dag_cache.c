/* SPDX-License-Identifier: Apache-2.0 */
/* dag_cache: one lock, one arena and one hash map for all the dags derived from a first one. A search asks for the same
 * few rewrites thousands of times, so the usual case is a hash, a map look-up and one comparison. */
#include "harness/program/ir/dag_cache.h"

#include "harness/base/hash.h"
#include "harness/base/map.h"

#include <pthread.h>
#include <string.h>

struct kin {
    const struct kin *next; /* same hash */
    const struct dag *source, *result;
    struct dag_cache_request key;
};

struct dag_cache {
    pthread_mutex_t lock;
    struct arena *arena; /* opened at the first rewrite */
    struct map kin;      /* hash -> struct kin * */
};

static void dag_cache_close(void *with)
{
    struct dag_cache *f = with;
    map_free(&f->kin);
    arena_close(f->arena);
    pthread_mutex_destroy(&f->lock);
}

struct dag_cache *dag_cache_open(struct arena *a)
{
    struct dag_cache *f = ARENA_NEW(a, struct dag_cache);
    pthread_mutex_init(&f->lock, NULL);
    arena_defer(a, dag_cache_close, f);
    return f;
}

static uint64_t key_hash(const struct dag *source, const struct dag_cache_request *key)
{
    uint64_t h = hash_bytes(key->words, (size_t)key->n * sizeof key->words[0], (uint64_t)(uintptr_t)source);
    return hash_mix(h, hash_str(key->scope));
}

static bool same(const struct kin *k, const struct dag *source, const struct dag_cache_request *key)
{
    return k->source == source && k->key.n == key->n && strcmp(k->key.scope, key->scope) == 0 &&
           memcmp(k->key.words, key->words, (size_t)key->n * sizeof key->words[0]) == 0;
}

static const struct kin *first_kin(const struct dag_cache *f, uint64_t hash)
{
    uint64_t found;
    return map_get(&f->kin, hash, &found) ? (const struct kin *)(uintptr_t)found : NULL;
}

static bool find_or_make(struct dag_cache *f, const struct dag *source, const struct dag_cache_request *key,
                         dag_cache_maker *make, const void *request, const struct dag **out, struct err *err)
{
    uint64_t hash = key_hash(source, key);
    for (const struct kin *k = first_kin(f, hash); k; k = k->next)
        if (same(k, source, key)) {
            *out = k->result;
            return true;
        }
    if (!f->arena)
        f->arena = arena_open("dags");
    struct arena_mark mark = arena_mark(f->arena);
    if (!make(f->arena, source, request, out, err)) {
        arena_release(f->arena, mark);
        return false;
    }
    struct kin *k = ARENA_NEW(f->arena, struct kin);
    *k = (struct kin){first_kin(f, hash), source, *out, *key};
    k->key.scope = arena_str(f->arena, key->scope);
    map_put(&f->kin, hash, (uint64_t)(uintptr_t)k);
    return true;
}

bool dag_cache_get(const struct dag *source, const struct dag_cache_request *key, dag_cache_maker *make,
                   const void *request, const struct dag **out, struct err *err)
{
    struct dag_cache *f = source->cache;
    pthread_mutex_lock(&f->lock);
    bool done = find_or_make(f, source, key, make, request, out, err);
    pthread_mutex_unlock(&f->lock);
    return done;
}
