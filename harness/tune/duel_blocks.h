/* SPDX-License-Identifier: Apache-2.0 */
/* duel_blocks: which duel of a campaign gets the next launch.
 *
 * A block is a network in one seed. After the least number of launches of every duel each block is brought to a half
 * width of its own, by its own launches and its own random numbers. So blocks that were timed on several machines have
 * the launches that one machine gives them. For the geometric mean of B blocks to be as narrow as the rules ask, each
 * of them is asked for sqrt(B) times that half width, B as the plan has it; the null pairs, of which not every block
 * has one, for the root of their number. */
#pragma once
#include "harness/tune/duel_list.h"

struct duel_block;
struct duel_blocks {
    struct arena *a;
    struct duel_list *l;
    const struct duel_rules *rules;
    uint64_t seed;
    struct duel_block *at;
    int n;
};
/* Of a list that duel_list_make has seen. All in a. */
void duel_blocks_open(struct arena *a, struct duel_list *l, const struct duel_rules *rules, uint64_t seed,
                      struct duel_blocks *out);
/* The duel; -1: it is enough. *widest: half width of the widest contrast of the blocks seen so far, by what their mean
 * is asked for; INFINITY while a duel lacks the least number. */
int duel_blocks_next(struct duel_blocks *b, double *widest);
