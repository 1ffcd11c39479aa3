/* SPDX-License-Identifier: Apache-2.0 */
/* dag_cache: all the dags that steps derive from one first dag, found by source dag and rewrite, so that replaying a
 * known history makes nothing. Thread-safe. It closes itself when the first dag's arena gives back its memory. Derived
 * dags lie in an arena of the cache's own, because the owner may be using the first dag's arena. */
#pragma once
#include "harness/base/arena.h"
#include "harness/base/err.h"
#include "harness/program/ir/dag.h"

struct dag_cache_key { /* which rewrite of the source dag */
    int64_t words[80];
    int n;             /* words in use */
    const char *scope; /* never NULL */
};
/* Makes the dag that a request asks for, in arena a; called under the cache's lock. */
typedef bool dag_cache_make_fn(struct arena *a, const struct dag *source, const void *request, const struct dag **out,
                               struct err *err);

struct dag_cache *dag_cache_open(struct arena *a);
MUST_CHECK bool dag_cache_get(const struct dag *source, const struct dag_cache_key *key, dag_cache_make_fn *make,
                              const void *request, const struct dag **out, struct err *err);
