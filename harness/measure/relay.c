/* SPDX-License-Identifier: Apache-2.0 */
/* relay: first come, first kept. In the shoot-out every round asks for every task once, in a random order: then no rule
 * of replacement beats keeping what is there. */
#include "harness/measure/relay.h"

#include "harness/base/log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static size_t limit_of(const struct relay *r)
{
    return r->limit ? r->limit : RELAY_BYTES;
}

bool relay_room(const struct relay *r, size_t bytes)
{
    return !r->is_full && bytes <= limit_of(r) - r->used;
}

static bool open_file(struct relay *r)
{
    const char *folder = getenv("TMPDIR");
    char path[4096];
    if (r->is_open)
        return true;
    int n = snprintf(path, sizeof path, "%s/raingauge-XXXXXX", folder && *folder ? folder : "/tmp");
    r->file = n < (int)sizeof path ? mkostemp(path, O_CLOEXEC) : -1;
    r->is_open = r->file >= 0;
    if (r->is_open)
        unlink(path);
    else
        log_debug("references are not handed on: no file '%s': %s", path, strerror(errno));
    return r->is_open;
}

static bool write_all(const struct relay *r, const char *p, size_t n)
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

void relay_keep(struct relay *r, const struct packet *from, struct relay_slot *slot)
{
    size_t n = from->bytes.len;
    if (n == 0 || !relay_room(r, n))
        return;
    r->is_full = !open_file(r) || !write_all(r, from->bytes.s, n);
    if (r->is_full)
        return;
    *slot = (struct relay_slot){.at = r->used, .n = n};
    r->used += n;
}

void relay_read(const struct relay *r, const struct relay_slot *slot, struct packet *to)
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

void relay_close(struct relay *r)
{
    if (r->is_open)
        close(r->file);
    *r = (struct relay){0};
}
