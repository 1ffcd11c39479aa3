/* SPDX-License-Identifier: Apache-2.0 */
/* pruner_run: speedups to parity by the curves, the cost of a round, and how estimates and measured latencies compare.
 */
#include "harness/released/pruner/pruner_run.h"

#include "harness/released/pruner/pruner_curves.h"

#include <math.h>

static const struct {
    int baseline, method;
    const char *column, *title;
} races[] = {
    {PRUNER_ANSOR, PRUNER_PRUNER, "pruner", "Pruner to Ansor's end"},
    {PRUNER_ANSOR, PRUNER_MOA, "moa_pruner", "MoA-Pruner to Ansor's end"},
    {PRUNER_ANSOR, PRUNER_OFFLINE, "pruner_offline", "Pruner offline to Ansor's end"},
    {PRUNER_ANSOR, PRUNER_TENSETMLP, "tensetmlp", "TenSetMLP to Ansor's end"},
    {PRUNER_TENSETMLP, PRUNER_OFFLINE, "pruner_offline_tensetmlp", "Pruner offline to TenSetMLP's end"},
};

static void add(struct pruner_numbers *x, const char *column, const char *of, const char *title, const char *what,
                double value)
{
    pruner_numbers_add(x, (struct pruner_number){"curve", NULL, NULL, arena_printf(x->arena, "%s%s", column, of),
                                                 arena_printf(x->arena, "%s%s", title, what), value, NAN});
}

static void add_race(struct pruner_numbers *x, size_t which)
{
    const struct pruner_curve *c = x->release->curves;
    const struct pruner_point *end = pruner_curve_end(&c[races[which].baseline]),
                              *reach = end ? pruner_curve_reach(&c[races[which].method], end->ms) : NULL;
    const char *column = races[which].column, *title = races[which].title;
    if (!end || !c[races[which].method].n)
        return;
    if (!reach) {
        add(x, column, "_never", title, ": never", 1);
        return;
    }
    add(x, column, "", title, ", times sooner", end->seconds / reach->seconds);
    add(x, column, "_s", title, ", seconds", reach->seconds);
    add(x, column, "_trials", title, ", trials", reach->trials);
}

void pruner_run_add(struct pruner_numbers *x)
{
    for (size_t i = 0; i < sizeof races / sizeof *races; i++)
        add_race(x, i);
    for (int m = 0; m < PRUNER_METHODS; m++) {
        const struct pruner_curve *c = &x->release->curves[m];
        const struct pruner_point *end = pruner_curve_end(c);
        if (!end)
            continue;
        add(x, pruner_methods[m], "_end_ms", pruner_methods[m], ", estimated latency at the end, ms", end->ms);
        add(x, pruner_methods[m], "_end_s", pruner_methods[m], ", search time, s", end->seconds);
        add(x, pruner_methods[m], "_round_s", pruner_methods[m], ", seconds of a round", pruner_curve_round_s(c));
        add(x, pruner_methods[m], "_measured_ms", pruner_methods[m], ", latency measured end to end, ms",
            c->measured_ms);
    }
}
