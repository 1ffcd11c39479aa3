/* SPDX-License-Identifier: Apache-2.0 */
/* compact: the released results as the tab separated tables made from them, whose columns are named in compact.c: one
 * head line, an empty field is absent. Columns are found by name, in any order; unknown ones are left alone. */
#pragma once
#include "harness/released/droplet/release.h"

/* Reads one table (0-terminated text, changed while it is read) into r; the number of rows. machine as the file's name
 * tells. */
int compact_read(struct release *r, enum release_table table, const char *path, const char *machine, char *text);

/* exploiters_coverage.tsv: which files there were. Adds to r->files. */
int compact_coverage(struct release *r, const char *path, char *text);
