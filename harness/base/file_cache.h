/* SPDX-License-Identifier: Apache-2.0 */
/* file_cache: blobs by the SHA-256 of what they were made from, as files of a folder that several processes share. A
 * file that is cut, changed or under a wrong name is found by its own digest, removed and made anew. Nothing is synced:
 * what a crash leaves is found so, too. Over its bound the folder loses its oldest files. Nothing here is an error: a
 * cache that cannot be read or written is one without entries. */
#pragma once
#include "harness/base/err.h"
#include "harness/base/text.h"

#include <stdbool.h>
#include <stdint.h>

struct file_cache;
/* The folder is made when the first blob is kept. stamp: what every blob was made by, a part of each key. most_bytes:
 * of all files together; several writers may pass it by a sixteenth each. */
struct file_cache *file_cache_open(const char *folder, const char *stamp, int64_t most_bytes);
void file_cache_close(struct file_cache *c); /* NULL: nothing */
void file_cache_remove(const char *folder);  /* the files of a cache that nobody uses, and the folder */
/* The key of what a blob is made from. */
void file_cache_key(const struct file_cache *c, const void *from, size_t n, char key[65]);
/* Adds the blob to out, and sets the seconds that making it took. False: there is none. */
bool file_cache_get(struct file_cache *c, const char key[65], struct text *out, double *seconds);
void file_cache_put(struct file_cache *c, const char key[65], const void *blob, size_t n, double seconds);
typedef bool file_cache_maker(void *ctx, struct text *out, struct err *err);
/* Adds to out what is kept of `from`, or what make makes and what is kept from then on. *cached_s: seconds that it
 * would have taken more to make; 0: it was made. c NULL: it is made. */
MUST_CHECK bool file_cache_find_or_make(struct file_cache *c, const struct text *from, file_cache_maker *make,
                                        void *ctx, struct text *out, double *cached_s, struct err *err);
/* Hidden: no blob is found, until it is not. NULL: nothing */
void file_cache_hide(struct file_cache *c, bool hidden);
/* The first thing that went wrong, once; NULL: nothing new did. */
const char *file_cache_trouble(struct file_cache *c);
