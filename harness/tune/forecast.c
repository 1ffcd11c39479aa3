/* SPDX-License-Identifier: Apache-2.0 */
/* forecast: a trial costs what search, build and verification cost, and its calls. A call does the kernel's arithmetic
 * and moves its arguments, at the rates that candidates on the way of a search reach on average, far below the best.
 * The constants are from the campaign results/fast/table3/short, revision e1b0dd2, codegen=fast (two AVX-512 cores,
 * regime tvmc): AlexNet 0.29 s a trial of Ansor, ResNet-18 0.19 s, MobileNet-v2 0.083 s; here they come out as 0.29,
 * 0.18 and 0.08. A reading of the re-timing: median distance of the readings in the records of four kernels of
 * ResNet-18, 0.13 to 0.15 s, on a machine that was busy otherwise. References: what preparing took in the searches of
 * table3, tier short (phase verify less the trials' verify_s): 1.8 s for ResNet-18 (19 kernels, 2.5 GFLOP), 5.3 s for
 * VGG-11 (17 kernels, 14.3 GFLOP); here 1.8 and 5.6. */
#include "harness/tune/forecast.h"

#include "harness/base/text.h"
#include "harness/record/keys.h"
#include "harness/tune/duel_rules.h"

#include <math.h>

#define REFERENCE_RUNS 2      /* of the unscheduled program */
#define REFERENCE_FLOPS 6e9   /* a second, of the unscheduled program */
#define BYTES_A_SECOND 4e9    /* of middling candidates */
#define RETIMED_ARE_FASTER 3. /* than middling candidates, about */

struct rates {
    double overhead_s; /* of a trial: search, training, build, load, verification */
    double launch_s;   /* of a reading of the re-timing: build, a fresh process, arguments, two checks */
    double flops;      /* a second, of middling candidates */
};

/* Under codegen=tvm builds take longer and bad schedules are slow. From three runs of table3, tier smoke, on two
 * AVX-512 cores of which others took a third: 0.18 to 0.22 s a trial, of which builds (two workers) 0.085 to 0.12 and
 * runs 0.065 to 0.07; here 0.20. A reading of the re-timing took 0.34 s; here 0.33. */
static struct rates rates_of(const struct plan *p)
{
    const char *codegen = keys_codegen(p->target, p->target_settings);
    return codegen && str_eq(codegen, "tvm") ? (struct rates){0.15, 0.25, 25e9} : (struct rates){0.06, 0.15, 40e9};
}

/* Seconds of one call of a middling candidate of this kernel. */
static double call_s(const struct rates *rates, const struct task *t)
{
    double bytes = 0;
    for (int i = 0; i < t->nargs; i++)
        bytes += (double)task_arg_elements(t, i) * dtype_bytes(task_arg_op(t, i)->dtype);
    return t->flops / rates->flops + bytes / BYTES_A_SECOND;
}

/* Share of the timing that programs take which are so many times slower than the fastest of their kernel so far: 0.47
 * to 0.56 at 2, 0.37 to 0.44 at 3, 0.24 to 0.28 at 5 in three runs of table3, tier smoke, codegen=tvm. */
static double slow_share(double patience)
{
    return patience > 0 ? fmin(0.8 * pow(patience, -2. / 3), 1) : 0;
}

/* All calls of a measurement, and its pauses. Slow programs are called once a repeat. */
static double timing(double call, const struct regime *r)
{
    double repeat_s = fmax((double)r->number * call, 1.5 * r->min_repeat_ms / 1e3);
    double spared_s = slow_share(r->patience) * fmax(repeat_s - call, 0);
    return (double)r->warmup * call + (double)r->repeat * (repeat_s - spared_s + r->cooldown_ms / 1e3);
}

double forecast_cell(const struct plan *p, int cell)
{
    const struct rates rates = rates_of(p);
    const struct cell_plan *c = &p->cells[cell];
    struct plan_place from;
    double sum = 0;
    int n = 0;
    for (int i = 0; i < c->ntasks; i++) {
        if (plan_taken(p, cell, i, &from))
            continue;
        sum += rates.overhead_s + timing(call_s(&rates, c->tasks[i].task), plan_regime(p, cell));
        n++;
    }
    int64_t trials = cell_plan_trials(c);
    return n ? sum / n + (trials > 0 ? c->model_s / (double)trials : 0) : 0;
}

/* Of each distinct kernel once: the cells of a network come one after the other, or with others of the same kernels. */
static double references(const struct plan *p)
{
    double sum = 0;
    struct plan_place from;
    for (int i = 0; i < p->ncells; i++) {
        bool known = false;
        for (int k = 0; k < i && !known; k++)
            known = str_eq(p->cells[k].network, p->cells[i].network);
        for (int t = 0; t < p->cells[i].ntasks && !known; t++)
            sum += plan_taken(p, i, t, &from)
                       ? 0
                       : FORECAST_REFERENCE_S + REFERENCE_RUNS * p->cells[i].tasks[t].task->flops / REFERENCE_FLOPS;
    }
    return sum;
}

/* Slices are short: what a process of a launch costs is its start, its checks and its build. The mean over the cell's
 * kernels, its reference being there already. */
static double process_s(const struct plan *p, const struct cell_plan *c)
{
    const struct rates rates = rates_of(p);
    struct regime slices = duel_slice(p);
    double sum = 0;
    slices.repeat = slices.warmup = 2;
    for (int i = 0; i < c->ntasks; i++)
        sum += rates.launch_s + timing(call_s(&rates, c->tasks[i].task) / RETIMED_ARE_FASTER, &slices);
    return c->ntasks ? sum / c->ntasks : 0;
}

/* Most programs of a kernel that the cell brings to its duels: those that are timed again, and its seed. One that only
 * measures its seed again brings this under its conditions, and none where another did. */
static int programs_of(const struct plan *p, int cell)
{
    const struct cell_plan *c = &p->cells[cell], *k = p->cells;
    if (!c->searcher || !str_eq(c->searcher, "remeasure"))
        return plan_retime_top(p) + (c->explore_cell < 0 ? 0 : 1);
    for (; k < c; k++)
        if (k->explore_cell == c->explore_cell && k->k == c->k && str_eq(k->searcher, c->searcher) &&
            keys_program(1, k->conditions) == keys_program(1, c->conditions))
            return 0;
    return 1;
}

double forecast_retiming(const struct plan *p)
{
    double sum = 0, launches = fmin(2. * (double)p->duels.min_launches, (double)p->duels.max_launches);
    for (int i = 0; i < p->ncells; i++) {
        const struct cell_plan *c = &p->cells[i];
        sum += programs_of(p, i) * (c->ntasks - plan_taken_count(p, i)) * process_s(p, c);
    }
    sum = plan_has_duels(p) ? sum * (launches + 1) + references(p) : 0;
    return p->duels.minutes > 0 ? fmin(sum, 60 * p->duels.minutes) : sum;
}
