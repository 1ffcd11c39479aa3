/* SPDX-License-Identifier: Apache-2.0 */
/* duel_list: which programs of a campaign meet in duels, and what is on record of them. */
#pragma once
#include "harness/record/duel_record.h"
#include "harness/record/record_scan.h"
#include "harness/stats/duel.h"

/* What a cell offers for a kernel. Trial 0: it has no valid program. */
struct duel_choice {
    int64_t kept, seed;            /* what one would use: the better of its own best and its seed; its seed */
    uint64_t kept_hash, seed_hash; /* of the states */
    double kept_s, weight;         /* as tuned; calls of the kernel */
};
struct duel_cell {
    const struct store_cell *cell;
    const struct duel_choice *choices; /* of its kernels */
};
struct duel_list {
    struct arena *a;
    const struct duel_record *at;
    struct duel *data; /* the launches so far, of all sittings */
    double **logs;     /* of each duel: those of its data, to be written */
    int *room;         /* of each duel: launches that these have room for */
    int *had;          /* of each duel: launches of this sitting */
    int n, sitting;
    int nulls;                     /* null pairs that the whole plan has; of duel_list_make */
    const struct duel_cell *cells; /* all cells on record; those that are not done have no choices */
    int ncells;
};
/* What is on record, in a. n 0: there are no duels. scan: of the same records, it must stay as long. */
MUST_CHECK bool duel_list_read(struct store *s, struct arena *a, const struct record_scan *scan, struct duel_list *out,
                               struct err *err);
/* Makes the duels of finished searches that have none yet and records them: for each kernel searched for a network in
 * one seed the different programs that its cells keep, their seeds, and the `top` fastest of each cell. The first is
 * the explorer's. Where they are more than fit into memory, or than DUEL_PROGRAMS, they are dealt to several duels that
 * all have the first. Beside them the null pairs. */
struct duel_list_rules {
    int top;
    double null_share;
    int64_t null_least;
    uint64_t seed; /* which kernels have null pairs */
    double unix_s; /* now */
};
MUST_CHECK bool duel_list_make(struct duel_list *l, struct store *s, const struct duel_list_rules *rules,
                               struct err *err);
bool duel_list_same_block(const struct store_cell *a, const struct store_cell *b); /* one network in one seed? */
/* Of a duel in its campaign, whatever its number: of what its kernel is and which of the kernel's duels it is. */
uint64_t duel_list_key(const struct duel_list *l, int duel);
/* Adds a launch: the log of each program's seconds, NAN where it failed. */
void duel_list_add(struct duel_list *l, int duel, const double *logs);

/* Is this a duel of that kernel, null pairs left out? Those of a kernel that its network takes from an earlier one are
 * that network's: they are done once. */
bool duel_list_is_of(const struct duel_list *l, const struct duel_record *d, const struct store_cell *cell, int task);
/* The first such duel from number `from` on; l->n: there is none. */
int duel_list_next(const struct duel_list *l, const struct store_cell *cell, int task, int from);
/* The first duel of that kernel with that program, null pairs left out; `over` and `under` are both its place. duel -1:
 * there is none. */
struct duel_leg duel_list_find(const struct duel_list *l, const struct store_cell *cell, int task, uint64_t hash);
