/* SPDX-License-Identifier: Apache-2.0 */
/* cpus: the processors that this process may use. taskset, Slurm or a container may leave it fewer than are online. */
#pragma once
#include <stdbool.h>

int cpus_usable(void);      /* how many, as it was at the first call; at least 1 */
bool cpus_may_use(int cpu); /* cpu: Linux's number */
