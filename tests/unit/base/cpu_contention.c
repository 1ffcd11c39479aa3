/* SPDX-License-Identifier: Apache-2.0 */
/* What others take of the machine, against programs that burn CPU time: our own children, and ones that are nobody's.
 * The rest of the machine may be busy as well, so only lower limits are known of what others took. */
#include "harness/base/cpu_contention.h"
#include "harness/base/clock.h"
#include "tests/lib/tap.h"

#include <sys/wait.h>
#include <unistd.h>

#define BURN_S 0.5
#define SLACK_S 0.2 /* ticks, and what the kernel charges elsewhere */

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
    struct cpu_contention_mark m = cpu_contention_mark();
    if (m.whole_s <= 0)
        skip_all("no /proc/stat here");
    ok(m.busy_s > 0 && m.own_s >= 0 && m.own_s <= m.busy_s + SLACK_S, "CPU time since boot");
    burn_elsewhere(false);
    struct cpu_contention_mark after = cpu_contention_mark();
    ok(after.own_s - m.own_s > BURN_S - SLACK_S, "a child that has ended is our own (%g s)", after.own_s - m.own_s);
    m = cpu_contention_mark();
    burn_elsewhere(true);
    after = cpu_contention_mark();
    struct cpu_contention o = cpu_contention_since(&m);
    ok(o.others_s > BURN_S - SLACK_S, "an orphan is not (%g s)", o.others_s);
    ok(after.own_s - m.own_s < SLACK_S, "nothing of it");
    ok(o.whole_s >= o.others_s + o.stolen_s - SLACK_S, "all of the machine is more");
    return done_testing();
}
