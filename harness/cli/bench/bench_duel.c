/* SPDX-License-Identifier: Apache-2.0 */
/* bench_duel: does the re-timing by duels tell the truth here? Small re-timings of eight kernels in which both sides
 * are one program (aa_held), or one side is slowed down by 5 % (planted_found). Every second one runs beside a process
 * that takes a third of a core. */
#include "harness/base/hash.h"
#include "harness/base/log.h"
#include "harness/cli/bench/gauges.h"
#include "harness/experiment/network.h"
#include "harness/stats/duel.h"
#include "harness/tune/duel_rules.h"

#include <math.h>

enum { DRAWS = 4, KERNELS = 8, MOST_KERNELS = 1000, LAUNCHES = 1000, RUNS = 4 };
#define PLANTED 0.05
#define MINUTES 2
#define LIGHT 4e8 /* FLOP of the heaviest kernel that is taken */

static const char *const NETWORKS[] = {"resnet18",   "mobilenet_v2", "bert_base",   "squeezenet", "shufflenet",
                                       "mnasnet1_0", "googlenet",    "densenet121", NULL};

struct retiming_run { /* a program of each kernel against itself */
    struct measurer *m;
    struct plan plan; /* its rules and its regime alone */
    const struct task *kernels[KERNELS];
    struct candidate programs[KERNELS];
    double call_s[KERNELS];
    double slow; /* of the second side */
    uint64_t seed;
    struct duel duels[KERNELS];
    double logs[KERNELS][2 * LAUNCHES];
    struct duel_term terms[KERNELS];
    int had[KERNELS], launches;
    double since;
};

/* ---- kernels and programs ---- */

/* Evenly from the list of distinct light ones, so that all operators are among them. */
static bool choose_kernels(struct bench_env *b, const struct task **out, struct err *err)
{
    const struct task **all = ARENA_ARRAY(b->arena, const struct task *, MOST_KERNELS);
    int n = 0;
    if (!cli_need_experiments(b->cli, err))
        return false;
    for (int i = 0; NETWORKS[i]; i++) {
        struct network *net;
        if (!network_load(b->arena, b->cli->folder, NETWORKS[i], &net, err))
            return false;
        for (int t = 0; t < net->nkernels && n < MOST_KERNELS; t++) {
            const struct task *task = net->tasks[t].task;
            bool known = task->flops > LIGHT;
            for (int k = 0; k < n && !known; k++)
                known = str_eq(all[k]->spec, task->spec);
            if (!known)
                all[n++] = task;
        }
    }
    for (int i = 0; i < KERNELS && n >= KERNELS; i++)
        out[i] = all[i * n / KERNELS];
    return n >= KERNELS || err_set(err, "the networks have %d light kernels, and %d are wanted", n, KERNELS);
}

/* The fastest of a few random programs. */
static bool choose_program(struct retiming_run *r, const struct candidate *drawn, int at, struct err *err)
{
    struct regime once = r->plan.retime_regime;
    once.number = once.repeat = 1;
    once.min_repeat_ms = 0;
    r->call_s[at] = INFINITY;
    for (int i = 0; i < DRAWS; i++) {
        struct sample s;
        if (!measure_again(r->m, &drawn[i], &once, &s, err))
            return false;
        if (sample_mean(&s) < r->call_s[at]) {
            r->call_s[at] = sample_mean(&s);
            r->programs[at] = drawn[i];
        }
    }
    return isfinite(r->call_s[at]) || err_set(err, "no random program of '%s' works", drawn[0].task->spec);
}

static bool choose_programs(struct bench_env *b, struct retiming_run *r, struct err *err)
{
    struct gauge_draws d = {
        .kernels = r->kernels, .nkernels = KERNELS, .each = DRAWS, .seed = 3, .limits = limits_cpu(b->cores)};
    bool fine = choose_kernels(b, r->kernels, err) && gauge_draw(b, &d, err);
    progress_begin("programs", KERNELS);
    for (int i = 0; i < KERNELS && fine; i++) {
        progress_at(i, "%s", r->kernels[i]->spec);
        fine = choose_program(r, &d.c[i * DRAWS], i, err);
    }
    progress_end();
    return fine;
}

/* ---- a re-timing ---- */

static void run_begin(struct retiming_run *r)
{
    r->launches = 0;
    for (int i = 0; i < KERNELS; i++) {
        r->had[i] = 0;
        r->duels[i] = (struct duel){.programs = 2, .logs = r->logs[i]};
        r->terms[i] = (struct duel_term){.seconds = 1e-3, .nlegs = 1, .legs = {{i, 1, 0}}};
    }
    r->since = clock_now();
}

static bool launch(struct retiming_run *r, int k, struct err *err)
{
    const struct regime slice = duel_slice(&r->plan);
    int mirrors = duel_mirrors(&r->plan.duels, 2, r->call_s[k] * (1 + r->slow)), turns[2 * DUEL_MIRRORS * 2];
    struct sliced_program programs[2] = {{.c = &r->programs[k]}, {.c = &r->programs[k], .slow = r->slow}};
    struct sliced_run run = {
        .programs = programs, .n = 2, .turns = turns, .nturns = 4 * mirrors, .regime = &slice, .process = 1};
    duel_order(hash_mix(r->seed, ((uint64_t)k << 32) + (uint64_t)r->had[k]), 2, mirrors, turns);
    if (!measure_sliced(r->m, &run, err))
        return false;
    double *to = r->logs[k] + 2 * r->had[k];
    for (int p = 0; p < 2; p++) {
        to[p] = NAN;
        for (int i = 0; i < programs[p].sample.nseconds; i++)
            to[p] = fmin(to[p], log(programs[p].sample.seconds[i]));
    }
    r->duels[k].launches = ++r->had[k];
    r->launches++;
    if (r->had[k] == 1 && isfinite(to[0]))
        r->terms[k].seconds = exp(to[0]); /* weights */
    return true;
}

/* Until it is narrow enough, or the minutes are over. least: the interval when each duel had its least number of
 * launches. */
static bool run_all(struct retiming_run *r, struct duel_interval *least, struct duel_interval *last, struct err *err)
{
    const struct duel_set set = {r->duels, KERNELS, r->terms, KERNELS, 1, 1};
    struct arena *a = arena_open("intervals");
    double widest;
    int k;
    bool fine = true;
    least->half_width = NAN;
    while (fine && (k = duel_next(a, &set, &r->plan.duels, r->had, r->seed, &widest)) >= 0) {
        double at = (clock_now() - r->since) / 60;
        if (isfinite(widest) && !isfinite(least->half_width))
            duel_intervals(a, &set, DUEL_DRAWS, r->seed, least);
        if (at > r->plan.duels.minutes)
            break;
        progress_at(at, "half width %.2f %%", 100 * widest);
        fine = launch(r, k, err);
        arena_reset(a);
    }
    duel_intervals(a, &set, DUEL_DRAWS, r->seed, last);
    if (!isfinite(least->half_width))
        *least = *last;
    arena_close(a);
    return fine;
}

/* ---- a third of a core ---- */

static void load(void *unused)
{
    (void)unused;
    for (;;) { /* 10 ms in 30 */
        double until = clock_now() + 0.01;
        while (clock_now() < until)
            ;
        clock_sleep(0.02);
    }
}

/* ---- the numbers ---- */

static bool open_run(struct retiming_run *r, struct bench_env *b, struct err *err)
{
    struct limits limits;
    struct measure_options o;
    setting_defaults(duel_settings, &r->plan.duels);
    r->plan.duels.max_launches = LAUNCHES;
    r->plan.duels.minutes = b->minutes > 0 ? b->minutes : MINUTES;
    r->plan.duels.half_width = PLANTED / 3;
    if (b->mirrors > 0)
        r->plan.duels.mirrors = b->mirrors;
    return gauge_measure(b, "cpu", "retime", &o, err) && regime_named("retime", &r->plan.retime_regime, err) &&
           measure_open(&o, &r->m, &limits, err);
}

struct tally {
    int loaded, hits, loaded_hits, hits_at_least; /* intervals that are as they should be */
};

static void tell(struct bench_env *b, struct reading *out, const struct retiming_run *r, bool loaded, bool hit,
                 const struct duel_interval *i)
{
    double s = clock_now() - r->since;
    const char *line =
        arena_printf(b->arena, "%-6s  ratio %.4f  [%.4f, %.4f]  half width %.2f %%  %4d launches in %.0f s  %s",
                     loaded ? "loaded" : "quiet", i->ratio, i->low, i->high, 100 * i->half_width, r->launches, s,
                     isnan(i->low) ? "too few launches for an interval"
                     : hit         ? "right"
                                   : "WRONG");
    log_info("bench: %s", line); /* one that is stopped keeps what it has shown */
    out->lines = arena_printf(b->arena, "%s    %s\n", out->lines ? out->lines : "", line);
    cJSON *o = json_put_object(out->details, NULL);
    json_put_bool(o, "loaded", loaded);
    json_put_number(o, "ratio", i->ratio);
    json_put_number(o, "low", i->low);
    json_put_number(o, "high", i->high);
    json_put_int(o, "launches", r->launches);
    json_put_number(o, "seconds", s);
    json_put_bool(o, "right", hit);
}

static bool is_right(const struct retiming_run *r, const struct duel_interval *i)
{
    return r->slow > 0 ? i->low > 1 : i->low <= 1 && 1 <= i->high; /* false without an interval */
}

static bool one_run(struct bench_env *b, struct retiming_run *r, struct tally *t, bool loaded, struct reading *out,
                    struct err *err)
{
    struct duel_interval least = {0}, last = {0};
    struct process other = {0};
    if (loaded && !process_start(&(struct process_spec){.run = load}, &other, err))
        return false;
    run_begin(r);
    bool fine = run_all(r, &least, &last, err);
    process_close(&other);
    if (!fine)
        return false;
    bool hit = is_right(r, &last);
    tell(b, out, r, loaded, hit, &last);
    t->loaded += loaded;
    t->hits += hit;
    t->loaded_hits += loaded && hit;
    t->hits_at_least += is_right(r, &least);
    reading_add(out, 100 * last.half_width);
    return true;
}

bool bench_duel(struct bench_env *b, int which, struct reading *out, struct err *err)
{
    struct retiming_run *r = ARENA_NEW(b->arena, struct retiming_run);
    struct tally t = {0};
    int runs = b->runs > 0 ? (int)b->runs : RUNS;
    r->slow = which == BENCH_PLANTED ? PLANTED : 0;
    if (!open_run(r, b, err))
        return false;
    out->details_name = "retimings";
    out->details = json_array();
    bool fine = choose_programs(b, r, err);
    progress_begin("re-timings", r->plan.duels.minutes);
    for (int i = 0; i < runs && fine; i++) {
        r->seed = hash_mix(17, (uint64_t)i);
        fine = one_run(b, r, &t, i % 2 == 1, out, err);
    }
    progress_end();
    measure_close(r->m);
    out->number = out->n ? fmax(1e-9, (double)t.hits / out->n) : 0;
    out->about =
        arena_printf(b->arena,
                     "%d of %d intervals %s (%d of %d under load; %d at the least launches); spread: half "
                     "widths in percent",
                     t.hits, out->n, r->slow > 0 ? "find it" : "hold 1", t.loaded_hits, t.loaded, t.hits_at_least);
    return fine;
}
