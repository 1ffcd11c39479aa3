/* SPDX-License-Identifier: Apache-2.0 */
/* server_lock: one campaign at a time measures on a machine, since two would disturb each other. A program that this
 * campaign left behind, whose connection broke unnoticed, is ended. */
#pragma once
#include "harness/base/err.h"

/* Held until the process ends. campaign: of the one that asks; "" is nobody's. Errors: the file cannot be written;
 * another campaign holds it for longer than some seconds. */
MUST_CHECK bool server_lock(const char *file, const char *campaign, struct err *err);
