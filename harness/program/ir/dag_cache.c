/* SPDX-License-Identifier: Apache-2.0 */
/* dag_cache: one lock, one arena and one hash map for all the dags derived from a first one. A search asks for the same
 * few rewrites thousands of times, so the usual case is a hash, a map look-up and one comparison. */
#include "harness/program/ir/dag_cache.h"

#include "harness/base/hash.h"
#include "harness/base/map.h"

#include <pthread.h>
#include <string.h>

struct cached_dag {
    const struct cached_dag *next; /* same hash */
    const struct dag *source, *result;
    struct dag_cache_key key;
};

struct dag_cache {
    pthread_mutex_t lock;
    struct arena *arena; /* opened at the first rewrite */
    struct map dags;     /* hash -> struct cached_dag * */
};

static void dag_cache_close(void *with)
{
    struct dag_cache *c = with;
    map_free(&c->dags);
    arena_close(c->arena);
    pthread_mutex_destroy(&c->lock);
}

struct dag_cache *dag_cache_open(struct arena *a)
{
    struct dag_cache *c = ARENA_NEW(a, struct dag_cache);
    pthread_mutex_init(&c->lock, NULL);
    arena_defer(a, dag_cache_close, c);
    return c;
}

static uint64_t key_hash(const struct dag *source, const struct dag_cache_key *key)
{
    uint64_t h = hash_bytes(key->words, (size_t)key->n * sizeof key->words[0], (uint64_t)(uintptr_t)source);
    return hash_mix(h, hash_str(key->scope));
}

static bool same(const struct cached_dag *k, const struct dag *source, const struct dag_cache_key *key)
{
    return k->source == source && k->key.n == key->n && strcmp(k->key.scope, key->scope) == 0 &&
           memcmp(k->key.words, key->words, (size_t)key->n * sizeof key->words[0]) == 0;
}

static const struct cached_dag *first_cached(const struct dag_cache *c, uint64_t hash)
{
    uint64_t found;
    return map_get(&c->dags, hash, &found) ? (const struct cached_dag *)(uintptr_t)found : NULL;
}

static bool find_or_make(struct dag_cache *c, const struct dag *source, const struct dag_cache_key *key,
                         dag_cache_make_fn *make, const void *request, const struct dag **out, struct err *err)
{
    uint64_t hash = key_hash(source, key);
    for (const struct cached_dag *k = first_cached(c, hash); k; k = k->next)
        if (same(k, source, key)) {
            *out = k->result;
            return true;
        }
    if (!c->arena)
        c->arena = arena_open("dags");
    struct arena_mark mark = arena_mark(c->arena);
    if (!make(c->arena, source, request, out, err)) {
        arena_release(c->arena, mark);
        return false;
    }
    struct cached_dag *k = ARENA_NEW(c->arena, struct cached_dag);
    *k = (struct cached_dag){first_cached(c, hash), source, *out, *key};
    k->key.scope = arena_str(c->arena, key->scope);
    map_put(&c->dags, hash, (uint64_t)(uintptr_t)k);
    return true;
}

bool dag_cache_get(const struct dag *source, const struct dag_cache_key *key, dag_cache_make_fn *make,
                   const void *request, const struct dag **out, struct err *err)
{
    struct dag_cache *c = source->cache;
    pthread_mutex_lock(&c->lock);
    bool done = find_or_make(c, source, key, make, request, out, err);
    pthread_mutex_unlock(&c->lock);
    return done;
}
