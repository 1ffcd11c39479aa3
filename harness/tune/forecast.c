/* SPDX-License-Identifier: Apache-2.0 */
/* forecast: a trial costs what search, build and verification cost, and its calls. The constants of codegen=tvm are
 * from results/table3/direction, results/parity/direction and results/race/short: one AVX-512 core, one build worker.
 * Their searches come out as 1.02, 1.11 and 1.06 of what they took (held by tests/cli/readme.sh). A call does the
 * kernel's arithmetic and moves its arguments, at the rates that candidates on the way of a search reach on average,
 * far below the best. A launch of a duel: 0.066 and 0.076 s a program of ablation, tier short, and of table3, tier
 * three-networks, on quiet cores. References: what preparing took in the searches of results/fast/table3/short (phase
 * verify less the trials' verify_s): 1.8 s for ResNet-18 (19 kernels, 2.5 GFLOP), 5.3 s for VGG-11 (17 kernels, 14.3
 * GFLOP); here 1.8 and 5.6.
 */
#include "harness/tune/forecast.h"

#include "harness/base/clock.h"
#include "harness/base/text.h"
#include "harness/plug/model.h"
#include "harness/program/features/feature.h"
#include "harness/program/lower/lower.h"
#include "harness/record/keys.h"
#include "harness/tune/duel_rules.h"

#include <math.h>
#include <string.h>

#define REFERENCE_RUNS 2      /* of the unscheduled program */
#define REFERENCE_FLOPS 6e9   /* a second, of the unscheduled program */
#define BYTES_A_SECOND 4e9    /* of middling candidates */
#define RETIMED_ARE_FASTER 3. /* than middling candidates, about */
#define ROUND_S 0.34          /* of a round of a searcher that explores, on one core: draws, scores */
#define ROUND_PARALLEL 0.94   /* of it is shared among cores: bench's round_s on two took 0.53 of that on one */
#define LOAD_S 0.0026         /* of a trial: messages, loading, arguments */
#define VERIFY_S 0.002        /* of a trial, beside one call: comparing, poisoning */
#define MIN_REPEAT 1.45       /* what repeats of a least length take, in that length: short ones are made anew */
#define WORTH_S 0.02          /* less is not worth a shorter timing (harness/measure/repeat.c) */
#define TAIL 0.33             /* mean builds that a batch's end is waited for on two workers: built_s */
#define TAIL_POWER 0.88       /* on more: times this power of the workers but one */
#define FAR 2.0               /* times as long builds what is far from its seed: results/exploiters/short */
#define FOUND 0.26            /* of the seconds that builds of descents take: 108 of 412 s of table3, tier smoke */
#define SHARED 0.2            /* of descents serve another k, too: 26 of 128 of results/table3/direction */
#define RIVALS 0.5    /* of a descent's programs in duels differ: 112 of 256 there, 485 of 912 in three-networks */
#define LAUNCH_S 0.07 /* of a program in a launch: a fresh process, its object, arguments, two checks */
#define BEYOND 0.33   /* of the launches beyond the least are made: ten runs in results/, 0.03 to 0.96 */
#define PACE_TURNS 200
/* Of lowering and describing the program of forecast_pace on the core of these constants. On another this took 2.5
 * times as long, as did bench's state_us, and trials took 2.1 to 3.3 times as long. */
#define LOWERED_S 6.8e-6

struct rates {     /* on one core */
    double builds; /* times the seconds of BUILDS */
    double found;  /* of the seconds of a descent's builds, which meet what others built */
    double flops;  /* a second, of middling candidates */
};

/* codegen=fast: results/fast/table3/short. */
static struct rates rates_of(const struct plan *p)
{
    const char *codegen = keys_codegen(p->target, p->target_settings);
    return codegen && str_eq(codegen, "tvm") ? (struct rates){1, FOUND, 12.5e9} : (struct rates){0.35, 0, 20e9};
}

/* Seconds of a build. What is not here sums no products: pooling, softmax, norms. */
static double build_s(const struct task *t)
{
    static const struct {
        const char *operator;
        double s;
    } builds[] = {{"depthwise", 0.1}, {"batch_matmul", 0.6}, {"conv2d", 0.22}, {"dense", 0.11}, {"matmul", 0.11}};
    if (strstr(t->spec, " kh=1 kw=1 "))
        return 0.11;
    for (size_t i = 0; i < sizeof builds / sizeof *builds; i++)
        if (str_starts(t->spec, builds[i].operator))
            return builds[i].s;
    return 0.05;
}

/* Seconds of one call of a middling candidate of this kernel, on so many cores. */
static double call_s(const struct rates *rates, const struct task *t, int cores)
{
    double bytes = 0;
    for (int i = 0; i < t->nargs; i++)
        bytes += (double)task_arg_elements(t, i) * dtype_bytes(task_arg_op(t, i)->dtype);
    return t->flops / rates->flops / cores + bytes / BYTES_A_SECOND;
}

/* Share of the timing that programs take which are so many times slower than the fastest of their kernel so far: 0.47
 * to 0.56 at 2, 0.37 to 0.44 at 3, 0.24 to 0.28 at 5 in three runs of table3, tier smoke, codegen=tvm. */
static double slow_share(double patience)
{
    return patience > 0 ? fmin(0.8 * pow(patience, -2. / 3), 1) : 0;
}

/* All calls of a measurement, and its pauses. Slow programs are called once a repeat, where that is worth it. */
static double timing(double call, const struct regime *r)
{
    double repeat_s = fmax((double)r->number * call, MIN_REPEAT * r->min_repeat_ms / 1e3);
    double spared_s = fmax(repeat_s - call, 0);
    spared_s *= (double)r->repeat * spared_s < WORTH_S ? 0 : slow_share(r->patience);
    return (double)r->warmup * call + (double)r->repeat * (repeat_s - spared_s + r->cooldown_ms / 1e3);
}

/* Seconds of a build on so many workers, and of what they wait for the slowest of a batch: the recorded builds of
 * table3, tier three-networks, seed 1, given to two and to eight in the order of harness/measure/build.h. */
static double built_s(double build, int workers, int64_t batch)
{
    return fmin(build / workers + (batch > 0 ? TAIL * build * pow(workers - 1, TAIL_POWER) / (double)batch : 0), build);
}

/* Do builds go on beside runs? The default has no cores to spare, as kernels take them all. */
static bool overlaps(const struct plan *p, const struct regime *r, int threads, int cores)
{
    return r->overlap && threads < cores && keys_overlap(p->target_settings);
}

/* Share of the seconds of builds that meet what others built. Of searches near one seed one builds: 0.84 was found of
 * five's (results/threshold/short). */
static double found_share(const struct plan *p, const struct cell_plan *c, const struct rates *rates)
{
    int alike = !c->near_seed;
    for (int i = 0; i < p->ncells && c->near_seed; i++) {
        const struct cell_plan *d = &p->cells[i];
        alike +=
            d->near_seed && d->explore_cell == c->explore_cell && d->k == c->k && str_eq(d->conditions, c->conditions);
    }
    return c->explore_cell < 0 || rates->found <= 0 ? 0 : 1 - (1 - rates->found) / alike;
}

/* Of a round, what is neither built nor run: draws, scores, and the model's training. */
static double search_round_s(const struct cell_plan *c, int cores)
{
    int64_t rounds = c->batch > 0 ? (cell_plan_trials(c) + c->batch - 1) / c->batch : 0;
    double model_s = rounds > 0 && c->plug && c->plug->search_s
                         ? c->plug->search_s(c->model_options, rounds, c->batch, cores) / (double)rounds
                         : 0;
    return model_s + (c->explore_cell < 0 ? ROUND_S * (1 - ROUND_PARALLEL + ROUND_PARALLEL / cores) : 0);
}

double forecast_pace(void)
{
    static double pace;
    if (pace > 0)
        return pace;
    struct arena *whole = arena_open("pace"), *turn = arena_open("pace turn");
    struct task *t;
    struct nest *n;
    struct features f;
    struct err err;
    double fastest = INFINITY;
    bool fine = task_parse(whole, "conv2d ci=64 hi=56 wi=56 co=64 kh=3 kw=3 ph=1 pw=1 bias=1 relu=1", &t, &err);
    for (int i = 0; i < PACE_TURNS && fine; i++) {
        arena_reset(turn);
        double start = clock_thread();
        fine = lower_steps(turn, t, NULL, 0, LAYOUT_NONE, &n, &err) && feature_extract(turn, n, &f, &err);
        fastest = fmin(fastest, clock_thread() - start);
    }
    arena_close(turn);
    arena_close(whole);
    return pace = fine ? fastest / LOWERED_S : 1;
}

double forecast_cell(const struct plan *p, int cell, int cores)
{
    const struct rates rates = rates_of(p);
    const struct cell_plan *c = &p->cells[cell];
    const struct regime *regime = plan_regime(p, cell);
    int threads = p->threads > 0 && p->threads < cores ? p->threads : cores;
    int workers = p->build_workers > 0 && p->build_workers < cores ? p->build_workers : cores;
    int64_t batch = regime->overlap ? c->batch : 2 * workers;
    double search_s = c->batch > 0 ? search_round_s(c, cores) / (double)c->batch : 0, sum = 0;
    double found = found_share(p, c, &rates);
    bool far = c->explore_cell >= 0 && !c->usual_trials; /* it goes on when nothing near the seed is faster */
    struct plan_place from;
    int n = 0;
    for (int i = 0; i < c->ntasks; i++) {
        if (plan_taken(p, cell, i, &from))
            continue;
        double call = call_s(&rates, c->tasks[i].task, threads);
        double build = rates.builds * (far ? FAR : 1) * (1 - found) * build_s(c->tasks[i].task);
        double run = LOAD_S + timing(call, regime) + VERIFY_S + call;
        sum += overlaps(p, regime, threads, cores) ? fmax(run, (build + run * threads) / cores)
                                                   : built_s(build, workers, batch) + run;
        n++;
    }
    return n ? sum / n + search_s : 0;
}

int64_t forecast_trials(const struct plan *p, int cell)
{
    const struct cell_plan *c = &p->cells[cell];
    int64_t most = plan_cell_trials(p, cell), own = c->ntasks - plan_taken_count(p, cell);
    double usual = c->usual_trials > 0 ? fmin((double)c->usual_trials * (double)own, (double)most) : (double)most;
    return (int64_t)lround(usual * (c->share && c->explore_cell >= 0 ? 1 - SHARED : 1));
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
        for (int t = 0; t < p->cells[i].ntasks && !known && plan_runs(p, i); t++)
            sum += plan_taken(p, i, t, &from)
                       ? 0
                       : FORECAST_REFERENCE_S + REFERENCE_RUNS * p->cells[i].tasks[t].task->flops / REFERENCE_FLOPS;
    }
    return sum;
}

/* Slices are short: what a process of a launch costs is its start and its checks. The mean over the cell's kernels, its
 * reference being there already. */
static double process_s(const struct plan *p, const struct cell_plan *c, int cores)
{
    const struct rates rates = rates_of(p);
    struct regime slices = duel_slice(p);
    double sum = 0;
    slices.repeat = slices.warmup = 2;
    for (int i = 0; i < c->ntasks; i++)
        sum += LAUNCH_S + timing(call_s(&rates, c->tasks[i].task, cores) / RETIMED_ARE_FASTER, &slices);
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

double forecast_retiming(const struct plan *p, int cores, double pace, bool most)
{
    double sum = 0, least = (double)p->duels.min_launches;
    double launches = least + (most ? 1 : BEYOND) * ((double)p->duels.max_launches - least);
    for (int i = 0; i < p->ncells; i++) {
        const struct cell_plan *c = &p->cells[i];
        double differ = c->explore_cell < 0 || most ? 1 : RIVALS;
        if (plan_runs(p, i))
            sum += differ * programs_of(p, i) * (c->ntasks - plan_taken_count(p, i)) * process_s(p, c, cores);
    }
    sum = plan_has_duels(p) ? pace * (sum * (launches + 1) + references(p)) : 0;
    return p->duels.minutes > 0 ? fmin(sum, 60 * p->duels.minutes) : sum;
}
