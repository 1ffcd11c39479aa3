/* SPDX-License-Identifier: Apache-2.0 */
/* reference_cache: references that one fresh runner computed, kept by the parent for the next. Else a run in a fresh
 * process would spend most of its time on two runs of the unscheduled program. They are kept in an unlinked file in
 * TMPDIR and not in memory: the parent's memory is a published number, and the system's page cache does the same as
 * long as there is room. References are computed before the runner runs any candidate, and inputs are made anew from
 * the seed in each process, so the check of a candidate is as strong as with references of its own. */
#pragma once
#include "harness/measure/channel.h"

#include <stddef.h>

/* About twice what the kernels of 20 networks need. What does not fit is computed in each runner. */
#define REFERENCE_CACHE_BYTES ((size_t)2 << 30)
struct reference_cache_slot { /* where the references of one task are; n 0: nowhere */
    size_t at, n;
};
struct reference_cache {
    int file; /* valid when open */
    bool is_open, is_full;
    size_t used, limit; /* bytes; limit 0: REFERENCE_CACHE_BYTES */
};
bool reference_cache_room(const struct reference_cache *r, size_t bytes); /* for so many bytes more */
/* Keeps the whole packet. If the file cannot be made or written, nothing more is kept; that is no error. */
void reference_cache_keep(struct reference_cache *r, const struct packet *from, struct reference_cache_slot *slot);
/* Adds what is kept, or nothing, to the packet as bytes. */
void reference_cache_read(const struct reference_cache *r, const struct reference_cache_slot *slot, struct packet *to);
void reference_cache_close(struct reference_cache *r);
