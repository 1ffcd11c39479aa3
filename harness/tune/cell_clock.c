/* SPDX-License-Identifier: Apache-2.0 */
/* cell_clock: see cell_clock.h; base plus what has passed since. */
#include "harness/tune/cell_clock.h"

#include "harness/base/clock.h"

double cell_clock_now(const struct cell_clock *t)
{
    return t->is_virtual ? t->base_s : t->base_s + (clock_now() - t->since);
}

double cell_clock_cpu(const struct cell_clock *t)
{
    return t->is_virtual ? 0 : t->cpu_base_s + (clock_cpu() - t->cpu_since);
}

void cell_clock_restart(struct cell_clock *t, double at_s, double cpu_s)
{
    t->base_s = at_s;
    t->since = clock_now();
    t->cpu_base_s = cpu_s;
    t->cpu_since = clock_cpu();
}

void cell_clock_spend(struct cell_clock *t, double seconds)
{
    t->base_s += seconds;
}
