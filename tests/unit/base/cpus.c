/* SPDX-License-Identifier: Apache-2.0 */
/* cpus: a process that taskset leaves one processor counts one, and sees only what others take of that one. */
#include "harness/base/cpus.h"
#include "harness/base/clock.h"
#include "harness/base/cpu_contention.h"
#include "tests/lib/tap.h"

#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

/* The first processor of the set and no other. */
static int pin(void)
{
    cpu_set_t all, one;
    int cpu = 0;
    if (sched_getaffinity(0, sizeof all, &all))
        return -1;
    while (!CPU_ISSET(cpu, &all))
        cpu++;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    return sched_setaffinity(0, sizeof one, &one) ? -1 : cpu;
}

static int seen_when_pinned(void)
{
    int cpu = pin();
    if (cpu < 0)
        return 1;
    struct cpu_contention_mark before = cpu_contention_mark();
    double begin = clock_now();
    clock_sleep(0.5);
    double elapsed = clock_now() - begin, whole = cpu_contention_since(&before).whole_s;
    if (cpus_usable() != 1 || !cpus_may_use(cpu) || cpus_may_use(cpu + 1))
        return 2;
    return whole > 0 && whole < 1.5 * elapsed + 0.05 ? 0 : 3; /* two processors would have had twice as much */
}

int main(void)
{
    int status = 0;
    pid_t pid = fork(); /* the mask is read once in a process */
    if (pid == 0)
        _exit(seen_when_pinned());
    waitpid(pid, &status, 0);
    ok(WIFEXITED(status) && WEXITSTATUS(status) != 2, "a process pinned to one processor may use that one only");
    ok(WIFEXITED(status) && WEXITSTATUS(status) != 3, "what others take is counted on the processors that may be used");
    ok(WIFEXITED(status) && WEXITSTATUS(status) != 1, "a process can be pinned");
    cpu_set_t all;
    if (!sched_getaffinity(0, sizeof all, &all))
        ok(cpus_usable() == CPU_COUNT(&all), "without a limit all processors of the mask are usable");
    return done_testing();
}
