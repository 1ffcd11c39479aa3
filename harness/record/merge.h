/* SPDX-License-Identifier: Apache-2.0 */
/* merge: one campaign of the records of its shards (harness/tune/shards.h). */
#pragma once
#include "harness/record/store.h"

struct merge_unlike { /* shards of unlike machines */
    const char *environment;
    const char *const *kind; /* of each shard: its kind of machine, which is told with the machine */
};
/* Writes <out>/records.db, all of it or nothing. Each shard's finished cells come with all their rows; trials and duels
 * are numbered anew, duels as one campaign numbers them. An event of each cell, kind "shard", says whose it was, and
 * one of kind "node" on which machines that ran (node_record.h). Refused, by name: shards of different experiments,
 * claims or programs (store_campaign's hash and revision); a cell that several shards have, or none; one that is not
 * finished, or whose re-timing is not; a shard that a process writes or that lost trials; an <out> that holds records.
 * Whether the machines are alike is the caller's to look at (harness/tune/environment.h); unlike NULL: they are.
 * missing: how many cells no shard has, which are then planned and not begun; NULL: they are refused. */
MUST_CHECK bool records_merge(const char *out, const char *const *shards, int n, const struct merge_unlike *unlike,
                              int *missing, struct err *err);
