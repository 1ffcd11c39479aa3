/* SPDX-License-Identifier: Apache-2.0 */
/* file: whole-file reads, atomic writes, folders. Errors name the path and errno's text. */
#pragma once
#include "harness/base/arena.h"
#include "harness/base/err.h"

#include <stdbool.h>
#include <stddef.h>

bool file_exists(const char *path);
bool file_is_dir(const char *path);
/* 0-terminated; files over limit bytes are refused (limit 0: 1 GiB). A .gz is not unpacked. */
MUST_CHECK bool file_read(struct arena *a, const char *path, size_t limit, char **text, size_t *n, struct err *err);
MUST_CHECK bool file_write(const char *path, const void *p, size_t n,
                           struct err *err); /* temporary file (.NAME.PROCESS.tmp), fsync, rename */
/* An unlinked file of TMPDIR or /tmp, for reading and writing; -1: there is none. */
MUST_CHECK int file_unnamed(struct err *err);
MUST_CHECK bool file_make_dirs(const char *path, struct err *err);
/* Names in a folder ending in suffix, without it, sorted; *names in a. */
MUST_CHECK bool file_list(struct arena *a, const char *dir, const char *suffix, char ***names, int *n, struct err *err);
/* Where a file is that is named by `path`: as named, or if there is none and the path is relative, in `folder` (NULL:
 * nowhere else). The path as named when it is in neither. */
const char *file_find(struct arena *a, const char *path, const char *folder);
char *file_join(struct arena *a, const char *dir, const char *name);
const char *file_name(const char *path);              /* what follows the last slash */
char *file_folder(struct arena *a, const char *path); /* "a/b/c" -> "a/b", "c" -> ".", "/c" -> "/" */
char *file_stem(struct arena *a, const char *path);   /* "a/b/c.yaml" -> "c" */
