/* SPDX-License-Identifier: Apache-2.0 */
/* timer: see timer.h; base plus what has passed since. */
#include "harness/tune/timer.h"

#include "harness/base/clock.h"

double timer_now(const struct timer *t)
{
    return t->is_virtual ? t->base_s : t->base_s + (clock_now() - t->since);
}

double timer_cpu(const struct timer *t)
{
    return t->is_virtual ? 0 : t->cpu_base_s + (clock_cpu() - t->cpu_since);
}

void timer_restart(struct timer *t, double at_s, double cpu_s)
{
    t->base_s = at_s;
    t->since = clock_now();
    t->cpu_base_s = cpu_s;
    t->cpu_since = clock_cpu();
}

void timer_spend(struct timer *t, double seconds)
{
    if (t->is_virtual)
        t->base_s += seconds;
}
