/* SPDX-License-Identifier: Apache-2.0 */
/* quantity: names and help of what a reader sees are in report_column.c. */
#include "harness/report/data/quantity.h"

#include "harness/stats/geometric_mean.h"

#include <math.h>

enum quantity_measure {
    KERNEL,
    KERNEL_CALLS,
    RETIMED,
    RETIMED_CALLS,
    SEARCH, /* + the clock */
};
struct side { /* of a ratio */
    enum part part;
    int measure;
};
struct definition {
    struct side over, under;
    bool by_kernel, main;
};

static const struct definition definitions[QUANTITY_COUNT] = {
    [QUANTITY_KERNEL] = {{PART_EXPLORER, KERNEL}, {PART_KEPT, KERNEL}, false, true},
    [QUANTITY_KERNEL_CALLS] = {{PART_EXPLORER, KERNEL_CALLS}, {PART_KEPT, KERNEL_CALLS}, false, false},
    [QUANTITY_RETIMED] = {{PART_EXPLORER, RETIMED}, {PART_KEPT, RETIMED}, false, true},
    [QUANTITY_RETIMED_CALLS] = {{PART_EXPLORER, RETIMED_CALLS}, {PART_KEPT, RETIMED_CALLS}, false, false},
    [QUANTITY_EACH] = {{PART_EXPLORER, KERNEL}, {PART_KEPT, KERNEL}, true, true},
    [QUANTITY_EACH_RETIMED] = {{PART_EXPLORER, RETIMED}, {PART_KEPT, RETIMED}, true, true},
    [QUANTITY_OWN] = {{PART_EXPLORER, KERNEL}, {PART_OWN, KERNEL}, false, true},
    [QUANTITY_SEARCH_WALL] = {{PART_EXPLORER, SEARCH + CLOCK_WALL}, {PART_KEPT, SEARCH + CLOCK_WALL}, false, true},
    [QUANTITY_SEARCH_RECORDS] = {{PART_EXPLORER, SEARCH + CLOCK_RECORDS},
                                 {PART_KEPT, SEARCH + CLOCK_RECORDS},
                                 false,
                                 true},
    [QUANTITY_SEARCH_SUM] = {{PART_EXPLORER, SEARCH + CLOCK_SUM}, {PART_KEPT, SEARCH + CLOCK_SUM}, false, false},
    [QUANTITY_SEARCH_DEVICE] = {{PART_EXPLORER, SEARCH + CLOCK_DEVICE},
                                {PART_KEPT, SEARCH + CLOCK_DEVICE},
                                false,
                                false},
    [QUANTITY_SEARCH_CPU] = {{PART_EXPLORER, SEARCH + CLOCK_CPU}, {PART_KEPT, SEARCH + CLOCK_CPU}, false, false},
    [QUANTITY_K_KERNEL] = {{PART_EXPLORER, KERNEL}, {PART_SEED, KERNEL}, false, true},
    [QUANTITY_K_KERNEL_CALLS] = {{PART_EXPLORER, KERNEL_CALLS}, {PART_SEED, KERNEL_CALLS}, false, false},
    [QUANTITY_K_SEARCH_WALL] = {{PART_EXPLORER, SEARCH + CLOCK_WALL}, {PART_SEED, SEARCH + CLOCK_WALL}, false, false},
    [QUANTITY_K_SEARCH_RECORDS] = {{PART_EXPLORER, SEARCH + CLOCK_RECORDS},
                                   {PART_SEED, SEARCH + CLOCK_RECORDS},
                                   false,
                                   true},
    [QUANTITY_K_SEARCH_SUM] = {{PART_EXPLORER, SEARCH + CLOCK_SUM}, {PART_SEED, SEARCH + CLOCK_SUM}, false, false},
    [QUANTITY_K_SEARCH_DEVICE] = {{PART_EXPLORER, SEARCH + CLOCK_DEVICE},
                                  {PART_SEED, SEARCH + CLOCK_DEVICE},
                                  false,
                                  false},
    [QUANTITY_K_SEARCH_CPU] = {{PART_EXPLORER, SEARCH + CLOCK_CPU}, {PART_SEED, SEARCH + CLOCK_CPU}, false, false},
    [QUANTITY_GAIN] = {{PART_SEED, KERNEL}, {PART_KEPT, KERNEL}, false, true},
    [QUANTITY_GAIN_CALLS] = {{PART_SEED, KERNEL_CALLS}, {PART_KEPT, KERNEL_CALLS}, false, false},
    [QUANTITY_TIMING_GAIN] = {{PART_SEED, KERNEL}, {PART_SEED, RETIMED}, false, false},
    [QUANTITY_TIMING_GAIN_CALLS] = {{PART_SEED, KERNEL_CALLS}, {PART_SEED, RETIMED_CALLS}, false, false},
    [QUANTITY_SEARCH_GAIN] = {{PART_SEED, RETIMED}, {PART_KEPT, RETIMED}, false, false},
    [QUANTITY_SEARCH_GAIN_CALLS] = {{PART_SEED, RETIMED_CALLS}, {PART_KEPT, RETIMED_CALLS}, false, false},
    [QUANTITY_PAIR_KERNEL] = {{PART_KEPT, KERNEL}, {PART_KEPT, KERNEL}, false, true},
    [QUANTITY_PAIR_RETIMED] = {{PART_KEPT, RETIMED}, {PART_KEPT, RETIMED}, false, true},
    [QUANTITY_PAIR_EACH] = {{PART_KEPT, KERNEL}, {PART_KEPT, KERNEL}, true, true},
    [QUANTITY_PAIR_EACH_RETIMED] = {{PART_KEPT, RETIMED}, {PART_KEPT, RETIMED}, true, true},
    [QUANTITY_PAIR_RECORDS] = {{PART_OWN, SEARCH + CLOCK_RECORDS}, {PART_OWN, SEARCH + CLOCK_RECORDS}, false, true},
    [QUANTITY_PAIR_WALL] = {{PART_OWN, SEARCH + CLOCK_WALL}, {PART_OWN, SEARCH + CLOCK_WALL}, false, true},
    [QUANTITY_SEPARATE_KERNEL] = {{PART_SEED, KERNEL}, {PART_OWN, KERNEL}, false, true},
    [QUANTITY_SEPARATE_SEARCH] = {{PART_SEED, SEARCH + CLOCK_WALL}, {PART_OWN, SEARCH + CLOCK_WALL}, false, true},
    [QUANTITY_SEPARATE_DESCENT] = {{PART_KEPT, KERNEL}, {PART_KEPT, KERNEL}, false, true},
    [QUANTITY_REMEASURE_GAIN] = {{PART_SEED, KERNEL}, {PART_OWN, KERNEL}, false, true},
    [QUANTITY_REMEASURE_SEARCH] = {{PART_OWN, KERNEL}, {PART_KEPT, KERNEL}, false, true},
};

bool quantity_by_kernel(enum quantity q)
{
    return definitions[q].by_kernel;
}

bool quantity_is_main(enum quantity q)
{
    return definitions[q].main;
}

bool quantity_is_retimed(enum quantity q)
{
    return definitions[q].under.measure == RETIMED || definitions[q].under.measure == RETIMED_CALLS;
}

static double measured(const struct cell_result *c, struct side s)
{
    const struct totals *t = &c->of[s.part];
    switch (s.measure) {
    case KERNEL:
    case KERNEL_CALLS:
        return t->kernel_s[s.measure - KERNEL];
    case RETIMED:
    case RETIMED_CALLS:
        return t->retimed_s[s.measure - RETIMED];
    default:
        return t->search_s[s.measure - SEARCH];
    }
}

static double of_kernel(const struct cell_result *c, struct side s, int kernel)
{
    const struct kernel_result *k = &c->kernels[kernel];
    return s.measure == RETIMED ? k->retimed_s[s.part] : k->kernel_s[s.part];
}

/* What two arms keep of one kernel, re-timed: where both were in one duel, by their own paired ratio and not by those
 * to a third program. */
static double pair_over(const struct cell_result *over, const struct cell_result *under, int kernel)
{
    const struct kernel_result *o = &over->kernels[kernel], *u = &under->kernels[kernel];
    return o->duel && o->duel == u->duel
               ? u->retimed_s[PART_KEPT] * exp(duel_log_ratio(o->duel, o->place, u->place, NULL))
               : o->retimed_s[PART_KEPT];
}

static bool is_retimed_pair(const struct definition *d, const struct cell_result *over, const struct cell_result *under)
{
    return over != under && d->over.measure == RETIMED && d->over.part == PART_KEPT;
}

static double ratio_of(double over, double under)
{
    double v = over / under;
    return ratio_usable(v) ? v : NAN;
}

double quantity_value(enum quantity q, const struct cell_result *over, const struct cell_result *under, int kernel)
{
    const struct definition *d = &definitions[q];
    bool pair = is_retimed_pair(d, over, under);
    double sum = 0;
    for (int i = 0; pair && i < over->nkernels && i < under->nkernels; i++)
        sum += pair_over(over, under, i);
    if (!d->by_kernel)
        return ratio_of(pair ? sum : measured(over, d->over), measured(under, d->under));
    if (kernel >= 0)
        return ratio_of(pair ? pair_over(over, under, kernel) : of_kernel(over, d->over, kernel),
                        of_kernel(under, d->under, kernel));
    struct geometric_mean mean = {0};
    for (int i = 0; i < over->nkernels && i < under->nkernels; i++)
        geometric_mean_take(&mean, ratio_of(pair ? pair_over(over, under, i) : of_kernel(over, d->over, i),
                                            of_kernel(under, d->under, i)));
    return geometric_mean_of(&mean);
}
