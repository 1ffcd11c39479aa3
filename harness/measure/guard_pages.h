/* SPDX-License-Identifier: Apache-2.0 */
/* guard_pages: a buffer between two pages that nobody may touch, its unused margins filled with a pattern. A kernel
 * that reads or writes far outside faults at once; one that writes a little outside is found by guard_pages_intact.
 * Data is aligned to 64. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

struct guard_pages {
    char *map;
    size_t map_bytes;
    void *data;
    size_t bytes;
};
enum guard_pages_side {
    GUARD_PAGES_START,
    GUARD_PAGES_END
}; /* which end of the data lies at its guard page (END: up to alignment) */

bool guard_pages_open(struct guard_pages *f, size_t bytes,
                      enum guard_pages_side side);       /* zeroed; false when out of memory */
void guard_pages_close(struct guard_pages *f);           /* a zeroed one is fine */
void guard_pages_lock(struct guard_pages *f, bool lock); /* locked: writes fault */
/* True when the margins are untouched; else *offset is the first damaged byte relative to data (negative: before). */
bool guard_pages_intact(const struct guard_pages *f, ptrdiff_t *offset);
void guard_pages_repair(
    const struct guard_pages *f); /* fills the margins anew, so that the next kernel is not blamed */

/* For the runner: on SIGSEGV or SIGBUS print to standard error where the address lies among the watched fences, then
 * die of the signal. names and fences must stay until the next call; n at most 64. */
void guard_pages_watch(const struct guard_pages *const *fences, const char *const *names, int n);
void guard_pages_handlers(void);
