/* SPDX-License-Identifier: Apache-2.0 */
/* machine_lock: campaigns that measure at once on the same processors disturb each other. Each locks the processors
 * that it may use (cpus.h), a byte each of one file (fcntl(2)), which the system takes back however a holder ends.
 * Campaigns that taskset or Slurm gave processors of their own share a machine. */
#pragma once
#include "harness/base/err.h"

/* Held until the process ends. The file is $RAINGAUGE_LOCK ("off": nothing is locked), else raingauge.lock in /run/lock
 * or /tmp; one that cannot be written is warned of. who: for people, of this campaign. wait: until the processors are
 * free; else the error says who has them since when, and is the environment's. */
MUST_CHECK bool machine_lock(const char *who, bool wait, struct err *err);
