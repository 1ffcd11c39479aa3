/* SPDX-License-Identifier: Apache-2.0 */
/* jit: object code into this process. */
#pragma once
#include "harness/base/err.h"

#include <stddef.h>

struct jit; /* one loaded kernel; owns its code */
typedef void kernel_code(void *const *args, char *shared, char *threads_scratch);

MUST_CHECK bool jit_open(const void *object, size_t n, struct jit **out, kernel_code **code, struct err *err);
void jit_close(struct jit *j);
