/* SPDX-License-Identifier: Apache-2.0 */
/* cpus: the processors that this process may use. taskset, Slurm or a container may leave it fewer than are online. */
#pragma once
#include <sched.h>
#include <stdbool.h>

int cpus_usable(void);      /* how many, as it was at the first call; at least 1 */
bool cpus_may_use(int cpu); /* cpu: Linux's number */
/* Splits them: *own gets one processor of each of `threads` cores, the last ones; *others gets what is left without the
 * siblings of these (threads of the same core). False: nothing is left, or the mask is not known. */
bool cpus_split(int threads, cpu_set_t *own, cpu_set_t *others);
