/* SPDX-License-Identifier: Apache-2.0 */
/* elite: the best unmeasured programs met in a search round: a min-heap of bounded size (ansor.md 3.5). */
#pragma once
#include "search/judge.h"
#include "search/ledger.h"

struct elite_seat {
    struct individual who;
    int arrival; /* breaks ties: the earlier one is better */
};
struct elite {
    const struct ledger *ledger; /* what it knows is not taken; may be NULL */
    struct elite_seat *heap;     /* [0] is the worst */
    int n, cap, arrivals;
};

void elite_open(struct elite *e, struct arena *a, int cap, const struct ledger *ledger);
/* Takes a valid program that is neither measured nor in the heap while there is room (whatever its score), or when it
 * beats the worst. */
void elite_offer(struct elite *e, const struct individual *who);
void elite_sort(struct elite *e); /* best first; ends the use as a heap */
/* Adds who to out[*n] (steps in a), unless it is invalid, measured or picked before. */
void elite_pick(const struct elite *e, const struct individual *who, const struct task *task, struct arena *a,
                struct map *picked, struct candidate *out, int *n);
