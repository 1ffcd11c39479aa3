/* SPDX-License-Identifier: Apache-2.0 */
/* guard_pages: a buffer between two pages that may not be touched, its unused margins filled with a pattern. A kernel
 * that reads or writes far outside faults at once. One that writes a little outside is found by guard_pages_intact.
 * Data is aligned to 64 bytes. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct guard_pages {
    char *map;
    size_t map_bytes;
    void *data;
    size_t bytes;
    uint64_t sum; /* of the data when it was locked last */
};
/* Which end of the data lies at its guard page (END: up to alignment). */
enum guard_pages_end { GUARD_PAGES_START, GUARD_PAGES_END };

/* Zeroed memory; false when out of memory. */
bool guard_pages_open(struct guard_pages *g, size_t bytes, enum guard_pages_end end);
void guard_pages_close(struct guard_pages *g);           /* a zeroed one is fine */
void guard_pages_lock(struct guard_pages *g, bool lock); /* locked: writes fault */
bool guard_pages_changed(const struct guard_pages *g);   /* since it was locked */
/* Exchanges the data of two locked buffers of one size. */
void guard_pages_exchange(struct guard_pages *a, struct guard_pages *b);
/* True if the margins are untouched; else *offset is the first damaged byte relative to data (negative: before). */
bool guard_pages_intact(const struct guard_pages *g, ptrdiff_t *offset);
/* Fills the margins again, so that the next kernel is not blamed. */
void guard_pages_repair(const struct guard_pages *g);

/* For the runner: on SIGSEGV or SIGBUS prints to standard error where the address lies among the watched buffers, then
 * dies of the signal. names and buffers must stay until the next call; n at most 64. */
void guard_pages_watch(const struct guard_pages *const *buffers, const char *const *names, int n);
void guard_pages_handlers(void);
