/* SPDX-License-Identifier: Apache-2.0 */
/* library: the functions of a shared library, looked up once it is open. An interface is a table of rows
 * X(member, name, parameters): its struct of pointers and its names come from it, so they have one order. */
#pragma once
#include "harness/base/err.h"

#include <stddef.h>

#define LIBRARY_MEMBER(member, name, parameters) int(*member) parameters;
#define LIBRARY_NAME(member, name, parameters) name,

/* out: a struct of `bytes` that is one pointer for each of the names, which end with NULL. False: the library, opened
 * from `file`, lacks one: "libcuda.so.1 has no cuInit: install a newer driver", the hint being what follows the name.
 */
MUST_CHECK bool library_functions(void *library, const char *const *names, void *out, size_t bytes, const char *file,
                                  const char *hint, struct err *err);
