/* SPDX-License-Identifier: Apache-2.0 */
/* top_k: the best unmeasured programs met in a search round: a min-heap of bounded size (harness/doc/ansor.md,
 * "Evolution"). */
#pragma once
#include "search/evolution/evaluate.h"
#include "search/evolution/measured_set.h"

struct top_k_entry {
    struct individual individual;
    int arrival; /* breaks ties: the earlier one is better */
};
struct top_k {
    const struct measured_set *measured; /* what it knows is not taken; may be NULL */
    int measured_first;                  /* so many of its programs, the earliest, count */
    struct top_k_entry *heap;            /* [0] is the worst */
    int n, cap, arrivals;
};

void top_k_open(struct top_k *t, struct arena *a, int cap, const struct measured_set *measured);
/* Takes a valid program that is neither measured nor in the heap while there is room (whatever its score), or when it
 * beats the worst. */
void top_k_offer(struct top_k *t, const struct individual *individual);
void top_k_sort(struct top_k *t); /* best first; ends the use as a heap */
/* Random states of a first population, and how many of a batch are to be such. */
struct random_pool {
    struct individual *at;
    int n, wanted;
};
/* Fills out[max] (steps in a), sorted ones first, then random ones, each list filling in for the other; returns how
 * many there are (TVM: PickStatesWithEpsGreedy). */
int top_k_choose(const struct top_k *t, const struct random_pool *pool, const struct task *task, struct arena *a,
                 int max, struct candidate *out);
/* Adds individual to out[*n] (steps in a), unless it is invalid, measured or picked before. */
void top_k_pick(const struct top_k *t, const struct individual *individual, const struct task *task, struct arena *a,
                struct map *picked, struct candidate *out, int *n);
