/* SPDX-License-Identifier: Apache-2.0 */
/* fixture_memory: memory and files of a test. It stands on base alone. */
#pragma once
#include "harness/base/arena.h"
#include "harness/base/err.h"
#include "harness/base/text.h"

/* Of this program, open from before main to its end; the second may be reset at any time. */
extern struct arena *arena, *scratch;
const char *fixture_folder(void); /* a new one of this program, which goes with all below it when the program ends */
char *fixture_path(const char *name, ...) __attribute__((format(printf, 1, 2))); /* a path below it */
char *fixture_file(const char *name, const char *text); /* such a path of a new file; missing folders are made */
char *fixture_read(const char *path);                   /* the text of a file */
void fixture_remove(const char *path);                  /* a file, or a folder and all below it */
char *fixture_text(struct text *t);                     /* what it holds, in arena; it is freed */
void fixture_must(bool fine, const struct err *err);
