/* SPDX-License-Identifier: Apache-2.0 */
/* glance: how far a campaign is whose writer may be on another machine. */
#pragma once
#include "harness/base/err.h"

#include <stdint.h>

/* Trials in <dir>/records.db, those of its last seconds left out. No lock is taken and no file is made beside it, as
 * the -shm file of a database is not shared between machines; so this is for a progress line and decides nothing.
 * False, without a reason, where there is no such file or it was being written just now. */
bool records_glance(const char *dir, int64_t *trials);
