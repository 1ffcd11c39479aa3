/* SPDX-License-Identifier: Apache-2.0 */
/* interrupt: Ctrl-C. The first SIGINT or SIGTERM asks the loop to end after the trial in flight, the second one kills.
 */
#pragma once
#include "harness/base/err.h"

#include <stdbool.h>

void interrupt_install(void);
void interrupt_restore(void);
bool interrupt_asked(void);
/* False, with EXIT_INTERRUPTED and "interrupted <where>", when a stop was asked for. */
bool interrupt_not_asked(struct err *err, const char *where);
