/* SPDX-License-Identifier: Apache-2.0 */
/* dag_make: builds a dag from its ops in order: checks the bodies (shapes, ids, duplicate axis names) and analyses
 * them. Errors name the stage. */
#pragma once
#include "harness/base/err.h"
#include "harness/program/ir/dag.h"

/* A stage of a derived dag: no reduction, no tag, no scope; the name and the axes are kept. */
struct op *op_derived(struct arena *a, int id, const char *name, const struct axis *axes, int naxes,
                      const struct expr *body);
/* A first dag: positions are ids. It gets a cache of its own for what steps derive from it. */
MUST_CHECK bool dag_make(struct arena *a, const struct op *const *ops, int nops, int nids, const struct dag **out,
                         struct err *err);
/* A dag that steps derive from another one: it shares the cache of its source. */
MUST_CHECK bool dag_make_derived(struct arena *a, struct dag_cache *cache, const struct op *const *ops, int nops,
                                 int nids, const struct dag **out, struct err *err);
