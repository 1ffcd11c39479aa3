/* SPDX-License-Identifier: Apache-2.0 */
/* dag_cache: all the dags that steps derived from one first dag: where they live, and a look-up by (source dag,
 * request), so that replaying a known history makes nothing. Thread-safe. Closed by itself when the first dag's arena
 * gives back its memory. Derived dags lie in an arena of the family's own, because the first dag's arena may be in use
 * by its owner. */
#pragma once
#include "harness/base/arena.h"
#include "harness/program/ir/dag.h"

struct dag_cache_request {
    int64_t words[80]; /* what is asked, as numbers; unused ones are 0 */
    int n;
    const char *scope; /* never NULL */
};
/* Makes the dag that a request asks for, in arena a; called under the family's lock. */
typedef bool dag_cache_maker(struct arena *a, const struct dag *source, const void *request, const struct dag **out,
                             struct err *err);

struct dag_cache *dag_cache_open(struct arena *a);
MUST_CHECK bool dag_cache_get(const struct dag *source, const struct dag_cache_request *key, dag_cache_maker *make,
                              const void *request, const struct dag **out, struct err *err);
