/* SPDX-License-Identifier: Apache-2.0 */
/* cell_clock: see cell_clock.h; base plus what has passed since. */
#include "harness/tune/cell_clock.h"

#include "harness/base/clock.h"

#include <sys/times.h>
#include <unistd.h>

/* CPU seconds of this process and of the children it has waited for: models that are trained apart. */
static double spent(void)
{
    struct tms of;
    times(&of);
    return clock_cpu() + (double)(of.tms_cutime + of.tms_cstime) / (double)sysconf(_SC_CLK_TCK);
}

double cell_clock_now(const struct cell_clock *t)
{
    return t->is_virtual ? t->base_s : t->base_s + (clock_now() - t->since);
}

double cell_clock_cpu(const struct cell_clock *t)
{
    return t->is_virtual ? 0 : t->cpu_base_s + (spent() - t->cpu_since);
}

void cell_clock_restart(struct cell_clock *t, double at_s, double cpu_s)
{
    t->base_s = at_s;
    t->since = clock_now();
    t->cpu_base_s = cpu_s;
    t->cpu_since = spent();
}

void cell_clock_spend(struct cell_clock *t, double seconds)
{
    t->base_s += seconds;
}
