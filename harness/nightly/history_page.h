/* SPDX-License-Identifier: Apache-2.0 */
/* history_page: all whole nights as one HTML page that needs no network and no script: what the machine was, and a
 * figure of every series with its steps. */
#pragma once
#include "harness/nightly/history.h"

/* machine: NULL: every machine file, one after the other. */
MUST_CHECK bool history_page_write(struct arena *a, struct history *h, const char *machine, const char *path,
                                   struct err *err);
