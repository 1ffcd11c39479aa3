/* SPDX-License-Identifier: Apache-2.0 */
/* stop: Ctrl-C. The first SIGINT or SIGTERM asks the loop to end after the trial in flight, the second one kills. */
#pragma once
#include "harness/base/err.h"

#include <stdbool.h>

void stop_install(void);
void stop_restore(void);
bool stop_asked(void);
/* False, with EXIT_INTERRUPTED and "interrupted <where>", when a stop was asked for. */
bool stop_not_asked(struct err *err, const char *where);
