/* SPDX-License-Identifier: Apache-2.0 */
/* wall: the collector that is always there: wall-clock and CPU seconds between start and stop. */
#include "harness/base/clock.h"
#include "harness/plug/collector.h"

struct wall {
    double wall_s, cpu_s;
};

static bool wall_start(void *self, struct err *err)
{
    struct wall *w = self;
    (void)err;
    w->cpu_s = clock_cpu();
    w->wall_s = clock_now();
    return true;
}

static bool wall_stop(void *self, struct counter *out, int *n, struct err *err)
{
    const struct wall *w = self;
    double wall_s = clock_now() - w->wall_s, cpu_s = clock_cpu() - w->cpu_s;
    (void)err;
    out[0] = counter_of("wall_s", wall_s);
    out[1] = counter_of("cpu_s", cpu_s);
    *n = 2;
    return true;
}

extern const struct collector collector_wall;
const struct collector collector_wall = {
    .name = "wall",
    .summary = "wall-clock and CPU seconds",
    .state_size = sizeof(struct wall),
    .start = wall_start,
    .stop = wall_stop,
};
