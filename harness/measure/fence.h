/* SPDX-License-Identifier: Apache-2.0 */
/* fence: a buffer between two pages that nobody may touch, its unused margins filled with a pattern. A kernel that
 * reads or writes far outside faults at once; one that writes a little outside is found by fence_intact. Data is
 * aligned to 64. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

struct fence {
    char *map;
    size_t map_bytes;
    void *data;
    size_t bytes;
};
enum fence_side { FENCE_START, FENCE_END }; /* which end of the data lies at its guard page (END: up to alignment) */

bool fence_open(struct fence *f, size_t bytes, enum fence_side side); /* zeroed; false when out of memory */
void fence_close(struct fence *f);                                    /* a zeroed one is fine */
void fence_lock(struct fence *f, bool lock);                          /* locked: writes fault */
/* True when the margins are untouched; else *offset is the first damaged byte relative to data (negative: before). */
bool fence_intact(const struct fence *f, ptrdiff_t *offset);
void fence_repair(const struct fence *f); /* fills the margins anew, so that the next kernel is not blamed */

/* For the runner: on SIGSEGV or SIGBUS print to standard error where the address lies among the watched fences, then
 * die of the signal. names and fences must stay until the next call; n at most 64. */
void fence_watch(const struct fence *const *fences, const char *const *names, int n);
void fence_handlers(void);
