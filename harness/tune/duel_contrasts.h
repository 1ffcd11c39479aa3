/* SPDX-License-Identifier: Apache-2.0 */
/* duel_contrasts: the numbers that the duels of a campaign are for, and where each kernel of them was timed. */
#pragma once
#include "harness/tune/duel_list.h"

/* An arm against its explorer, the explorer's first k records ("ansor, first 10") against all of them, the first
 * exploiter against another that has the same k, an arm that searches on its own against the first of these, or the
 * null pairs. */
struct duel_contrast {
    const char *arm, *over; /* arm is faster than over where the ratio is above 1. NULL: the null pairs */
    const char *network;    /* NULL: over networks */
};
enum duel_split { DUEL_ALL, DUEL_BY_NETWORK }; /* one contrast over networks, or one of each of them */

struct duel_contrasts {
    struct duel_set set;
    const struct duel_contrast *at; /* set.ncontrasts of them */
};
/* Of cells that are done. Weights are the kernel times over the line, re-timed where they were. by_calls: each counts
 * as often as its network calls it. The null pairs are one contrast whatever the split. All in a. */
void duel_contrasts_make(struct arena *a, const struct duel_list *l, bool by_calls, enum duel_split split,
                         struct duel_contrasts *out);
/* How the programs of two choices of one kernel were timed: in one duel, or each against the first program of its duel.
 * Fills nlegs and legs. */
void duel_term_find(const struct duel_list *l, const struct store_cell *cell, int task, uint64_t over, uint64_t under,
                    struct duel_term *out);
