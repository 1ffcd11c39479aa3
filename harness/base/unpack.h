/* SPDX-License-Identifier: Apache-2.0 */
/* unpack: files that may be packed by gzip or xz, known by their first two bytes and not by their name. */
#pragma once
#include "harness/base/err.h"

#include <stdio.h>

/* A regular file for reading, at its start; it can be rewound. What is packed is unpacked into an unlinked file in
 * TMPDIR first, by the program that packed it. False: it cannot be read, is no regular file, or is damaged ("PATH:
 * reason"). */
MUST_CHECK bool unpack_open(const char *path, FILE **out, struct err *err);
