/* SPDX-License-Identifier: Apache-2.0 */
/* cpu_contention: a child's CPU time is our own, as getrusage counts it too; that of a process whose parent has ended
 * is not. The rest of the machine may be busy as well, so of what other programs took only a lower limit is known. */
#include "harness/base/cpu_contention.h"
#include "harness/base/clock.h"
#include "tests/lib/tap.h"

#include <math.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define BURN_S 0.5  /* CPU seconds */
#define TICKS_S 0.1 /* /proc counts in ticks, one rounding for each process */

/* CPU seconds of this process and of the children it has waited for, as the kernel tells a process itself. */
static double usage_s(void)
{
    double sum = 0;
    for (int i = 0; i < 2; i++) {
        struct rusage u;
        getrusage(i ? RUSAGE_CHILDREN : RUSAGE_SELF, &u);
        sum +=
            (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) + 1e-6 * (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec);
    }
    return sum;
}

static void burn(void)
{
    double begin = clock_cpu();
    while (clock_cpu() - begin < BURN_S)
        continue;
}

/* Burns in a child, or in a child's child whose parent is gone; returns when it is done. */
static void burn_elsewhere(bool orphan)
{
    int done[2];
    char c;
    if (pipe(done) != 0)
        return;
    pid_t pid = fork();
    if (pid == 0) {
        if (!orphan || fork() == 0)
            burn();
        _exit(0);
    }
    close(done[1]);
    waitpid(pid, NULL, 0);
    while (read(done[0], &c, 1) > 0) /* ends when the last that could write has */
        continue;
    close(done[0]);
}

int main(void)
{
    struct cpu_contention_mark before = cpu_contention_mark();
    double used = usage_s();
    if (before.whole_s <= 0)
        skip_all("no /proc/stat here");
    ok(before.busy_s > 0 && before.own_s >= 0 && before.own_s <= before.busy_s + TICKS_S,
       "CPU time since boot is counted, and our own is a part of it");
    burn_elsewhere(false);
    struct cpu_contention_mark after = cpu_contention_mark();
    double own = after.own_s - before.own_s, truth = usage_s() - used;
    ok(truth > BURN_S - TICKS_S && fabs(own - truth) < TICKS_S,
       "the CPU time of a child that has ended is our own (%g s, getrusage says %g s)", own, truth);
    before = cpu_contention_mark();
    used = usage_s();
    burn_elsewhere(true);
    after = cpu_contention_mark();
    struct cpu_contention c = cpu_contention_since(&before);
    own = after.own_s - before.own_s;
    truth = usage_s() - used;
    ok(fabs(own - truth) < TICKS_S, "the CPU time of an orphan is not our own (%g s, getrusage says %g s)", own, truth);
    ok(c.others_s > BURN_S / 2, "the CPU time of an orphan is that of other programs (%g s)", c.others_s);
    ok(c.whole_s >= c.others_s + c.stolen_s - TICKS_S, "the whole machine has at least the time that others took");
    ok(cpu_contention_share(&(struct cpu_contention){15, 5, 500}) == 0.04 &&
           cpu_contention_share(&(struct cpu_contention){-6, 0, 500}) == 0 &&
           isnan(cpu_contention_share(&(struct cpu_contention){1, 1, 0})),
       "the share is that of others and the host together, none below 0, unknown of no time");
    return done_testing();
}
