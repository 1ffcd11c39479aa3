/* SPDX-License-Identifier: Apache-2.0 */
/* cpus: the mask is read once, before threads are pinned to single processors. */
#include "harness/base/cpus.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
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

/* Removes a processor and the other threads of its core: "0-1" or "0,64" in its thread_siblings_list. */
static void remove_core(int cpu, cpu_set_t *from)
{
    char path[96], list[256] = "", *at = list;
    CPU_CLR(cpu, from);
    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/topology/thread_siblings_list", cpu);
    FILE *f = fopen(path, "re");
    if (!f)
        return;
    if (!fgets(list, sizeof list, f))
        *list = 0;
    fclose(f);
    while (*at >= '0' && *at <= '9') {
        long first = strtol(at, &at, 10), last = *at == '-' ? strtol(at + 1, &at, 10) : first;
        for (long c = first; c <= last && c < CPU_SETSIZE; c++)
            CPU_CLR((size_t)c, from);
        at += *at == ',';
    }
}

bool cpus_split(int threads, cpu_set_t *own, cpu_set_t *others)
{
    pthread_once(&once, read_mask);
    CPU_ZERO(own);
    *others = mask.set;
    for (int cpu = CPU_SETSIZE - 1; cpu >= 0 && mask.n > 0 && CPU_COUNT(own) < threads; cpu--)
        if (CPU_ISSET((size_t)cpu, others)) {
            CPU_SET((size_t)cpu, own);
            remove_core(cpu, others);
        }
    return mask.n > 0 && CPU_COUNT(own) == threads && CPU_COUNT(others) > 0;
}
