/* SPDX-License-Identifier: Apache-2.0 */
/* cpus: the mask is read once, before threads are pinned to single processors. */
#include "harness/base/cpus.h"

#include <pthread.h>
#include <sched.h>
#include <unistd.h>

static struct {
    cpu_set_t set;
    int n; /* 0: the mask is not known, all may be used */
} mask;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void read_mask(void)
{
    if (!sched_getaffinity(0, sizeof mask.set, &mask.set))
        mask.n = CPU_COUNT(&mask.set);
}

int cpus_usable(void)
{
    pthread_once(&once, read_mask);
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    return mask.n > 0 ? mask.n : online > 0 ? (int)online : 1;
}

bool cpus_may_use(int cpu)
{
    pthread_once(&once, read_mask);
    return mask.n == 0 || (cpu >= 0 && cpu < CPU_SETSIZE && CPU_ISSET(cpu, &mask.set));
}
