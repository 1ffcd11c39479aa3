/* SPDX-License-Identifier: Apache-2.0 */
/* environment: where records were measured, as table campaign keeps it. Times of two machines are never mixed in one
 * folder of results. */
#pragma once
#include "harness/base/arena.h"

#include <stdbool.h>

/* Why records of environment `had` cannot go on in environment `now`, in a: "their processor is 'A', this one's is
 * 'B'". NULL: they can. Both are JSON objects of host and target; compared are the names of processor, architecture and
 * GPU and the GPU's memory in whole GiB, as far as both have them. Old records without them go on. */
const char *environment_difference(struct arena *a, const char *had, const char *now);
/* One environment of n of unlike machines, in a, as JSON: a fact that differs (those above) has what each of them has,
 * "A and B"; other members that differ are left out. "shards.unlike" says for people which facts differ, and another
 * member of "shards" for each kind of machine what it did (did, of each of the n). kinds: of each of the n its kind, by
 * the facts that differ. NULL: none does. */
const char *environment_unlike(struct arena *a, const char *const *all, const char *const *did, const char **kinds,
                               int n);
/* Which machine of its kind it is, in a: a node's word (harness/measure/host.h), or that of a virtual target, which
 * has none unless it plays several machines. "": not known. */
const char *environment_node(struct arena *a, const char *environment, bool is_virtual);
/* Processors that could be used there. 0: not known. */
int environment_cores(const char *environment);
