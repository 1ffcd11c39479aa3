/* SPDX-License-Identifier: Apache-2.0 */
/* reference_cache: what comes first is kept. Re-timing asks for every task once in each round, in a random order, and
 * then no rule of replacement is better than keeping what is there. */
#include "harness/measure/reference_cache.h"

#include "harness/base/file.h"
#include "harness/base/log.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

static size_t limit_of(const struct reference_cache *r)
{
    return r->limit ? r->limit : REFERENCE_CACHE_BYTES;
}

bool reference_cache_room(const struct reference_cache *r, size_t bytes)
{
    return !r->is_full && bytes <= limit_of(r) - r->used;
}

static bool open_file(struct reference_cache *r)
{
    struct err why;
    if (r->is_open)
        return true;
    r->file = file_unnamed(&why);
    r->is_open = r->file >= 0;
    if (!r->is_open)
        log_debug("references are not handed on: %s", why.text);
    return r->is_open;
}

static bool write_all(const struct reference_cache *r, const char *p, size_t n)
{
    for (size_t done = 0; done < n;) {
        ssize_t some = pwrite(r->file, p + done, n - done, (off_t)(r->used + done));
        if (some < 0 && errno == EINTR)
            continue;
        if (some <= 0)
            return false;
        done += (size_t)some;
    }
    return true;
}

void reference_cache_keep(struct reference_cache *r, const struct packet *from, struct reference_cache_slot *slot)
{
    size_t n = from->bytes.len;
    if (n == 0 || !reference_cache_room(r, n))
        return;
    r->is_full = !open_file(r) || !write_all(r, from->bytes.s, n);
    if (r->is_full)
        return;
    *slot = (struct reference_cache_slot){.at = r->used, .n = n};
    r->used += n;
}

void reference_cache_read(const struct reference_cache *r, const struct reference_cache_slot *slot, struct packet *to)
{
    char *bytes = slot->n ? malloc(slot->n) : NULL;
    size_t got = 0;
    while (bytes && got < slot->n) {
        ssize_t some = pread(r->file, bytes + got, slot->n - got, (off_t)(slot->at + got));
        if (some < 0 && errno == EINTR)
            continue;
        if (some <= 0)
            break;
        got += (size_t)some;
    }
    packet_bytes(to, bytes, bytes && got == slot->n ? got : 0);
    free(bytes);
}

void reference_cache_close(struct reference_cache *r)
{
    if (r->is_open)
        close(r->file);
    *r = (struct reference_cache){0};
}
