/* SPDX-License-Identifier: Apache-2.0 */
/* bench_duel: does the re-timing by duels tell the truth here? Small re-timings of eight kernels in which both sides
 * are one program (aa_held), or one side is slowed down by 5 % (planted_found). Every second one runs beside a process
 * that takes a third of a core. And the half width that a re-timing of a hundred kernels reaches (hundred_half_width).
 */
#include "harness/base/hash.h"
#include "harness/base/log.h"
#include "harness/cli/bench/gauges.h"
#include "harness/experiment/network.h"
#include "harness/measure/measure.h"
#include "harness/stats/duel.h"
#include "harness/tune/duel_rules.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { DRAWS = 4, FEW_KERNELS = 8, MANY_KERNELS = 100, LAUNCHES = 1000, RUNS = 4, LINE = 120 };
#define PLANTED 0.05
#define LIGHT 4e8 /* FLOP of the heaviest kernel that is taken */

static const char *const NETWORKS[] = {"resnet18",   "mobilenet_v2", "bert_base",   "squeezenet", "shufflenet",
                                       "mnasnet1_0", "googlenet",    "densenet121", NULL};

struct retiming_run { /* pairs of programs, one for each kernel */
    struct bench_env *b;
    struct measurer *m;
    struct plan plan; /* its rules and its regime alone */
    struct candidate (*pairs)[2];
    double *slowest_s; /* of each pair: a call of the slower one */
    double slow;       /* of the second of each pair */
    uint64_t seed;
    int n;
    struct arena *a;
    struct duel *duels;
    double **logs;
    struct duel_term *terms;
    int *had, launches;
    double since;
};

/* ---- kernels and programs ---- */

static int distinct_kernels(struct bench_env *b, const struct task **out, int most, struct err *err)
{
    int n = 0;
    for (int i = 0; NETWORKS[i]; i++) {
        struct network *net;
        if (!network_load(b->arena, b->cli->folder, NETWORKS[i], &net, err))
            return -1;
        for (int t = 0; t < net->nkernels && n < most; t++) {
            const struct task *task = net->tasks[t].task;
            bool known = task->flops > LIGHT;
            for (int k = 0; k < n && !known; k++)
                known = str_eq(out[k]->spec, task->spec);
            if (!known)
                out[n++] = task;
        }
    }
    return n;
}

/* n kernels, evenly from the list of distinct ones, so that all operators are among them. */
static bool choose_kernels(struct bench_env *b, int n, const struct task **out, struct err *err)
{
    enum { MOST = 1000 };
    const struct task **all = ARENA_ARRAY(b->arena, const struct task *, MOST);
    if (!cli_need_experiments(b->cli, err))
        return false;
    int found = distinct_kernels(b, all, MOST, err);
    if (found < n)
        return found < 0 ? false : err_set(err, "the networks have %d light kernels, and %d are wanted", found, n);
    for (int i = 0; i < n; i++)
        out[i] = all[(int64_t)i * found / n];
    return true;
}

/* The fastest of a few random programs, and another: the next fastest where they are to differ, else the same. */
static bool choose_pair(struct retiming_run *r, const struct candidate *drawn, bool differ, int at, struct err *err)
{
    struct candidate *out = r->pairs[at];
    struct regime once = r->plan.retime_regime;
    double least[2] = {INFINITY, INFINITY};
    once.number = once.repeat = 1;
    once.min_repeat_ms = 0;
    for (int i = 0; i < DRAWS; i++) {
        struct sample s;
        if (!measure_again(r->m, &drawn[i], &once, &s, err))
            return false;
        double v = sample_mean(&s);
        int place = v < least[0] ? 0 : v < least[1] ? 1 : 2;
        if (place == 0) {
            out[1] = out[0];
            least[1] = least[0];
        }
        if (place < 2) {
            out[place] = drawn[i];
            least[place] = v;
        }
    }
    if (!differ || !isfinite(least[1]))
        out[1] = out[0];
    r->slowest_s[at] = differ && isfinite(least[1]) ? least[1] : least[0];
    return isfinite(least[0]) || err_set(err, "no random program of '%s' works", drawn[0].task->spec);
}

/* As many kernels as there are rules for; differ: two programs of each. */
static bool choose_pairs(struct retiming_run *r, int n, bool differ, struct err *err)
{
    const struct task **kernels = ARENA_ARRAY(r->b->arena, const struct task *, n);
    struct candidate *drawn;
    r->n = n;
    r->pairs = arena_alloc(r->b->arena, sizeof *r->pairs * (size_t)n);
    r->slowest_s = ARENA_ARRAY(r->b->arena, double, n);
    struct gauge_draws draws = {
        .kernels = kernels, .nkernels = n, .each = DRAWS, .seed = 3, .limits = limits_cpu(r->b->cores)};
    if (!choose_kernels(r->b, n, kernels, err) || !gauge_candidates(r->b, &draws, &drawn, err))
        return false;
    progress_begin("programs", n);
    bool fine = true;
    for (int i = 0; i < n && fine; i++) {
        progress_at(i, "%s", kernels[i]->spec);
        fine = choose_pair(r, &drawn[i * DRAWS], differ, i, err);
    }
    progress_end();
    return fine;
}

/* ---- a re-timing ---- */

static void run_begin(struct retiming_run *r)
{
    r->a = arena_open("re-timing");
    r->duels = ARENA_ARRAY(r->a, struct duel, r->n);
    r->terms = ARENA_ARRAY(r->a, struct duel_term, r->n);
    r->logs = ARENA_ARRAY(r->a, double *, r->n);
    r->had = ARENA_ARRAY(r->a, int, r->n);
    r->launches = 0;
    for (int i = 0; i < r->n; i++) {
        r->logs[i] = ARENA_ARRAY(r->a, double, 2 * LAUNCHES);
        r->duels[i] = (struct duel){.programs = 2, .logs = r->logs[i]};
        r->terms[i] = (struct duel_term){.seconds = 1e-3, .nlegs = 1, .legs = {{i, 1, 0}}};
    }
    r->since = clock_now();
}

static struct duel_set set_of(const struct retiming_run *r)
{
    return (struct duel_set){r->duels, r->n, r->terms, r->n, 1, 1};
}

static bool launch(struct retiming_run *r, int k, struct err *err)
{
    const struct regime slice = duel_slice(&r->plan);
    int mirrors = duel_mirrors(&r->plan.duels, 2, r->slowest_s[k] * (1 + r->slow)), turns[2 * DUEL_MIRRORS * 2];
    struct sliced_program programs[2] = {{.c = &r->pairs[k][0]}, {.c = &r->pairs[k][1], .slow = r->slow}};
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

/* Until it is narrow enough, or the minutes are over. least (may be NULL): the interval when each duel had its least
 * number of launches. */
static bool run_all(struct retiming_run *r, struct duel_interval *least, struct duel_interval *last, struct text *lines,
                    struct err *err)
{
    const struct duel_set set = set_of(r);
    struct arena *a = arena_open("intervals");
    double widest, told = 0, minutes = r->plan.duels.minutes;
    int k;
    bool fine = true;
    while (fine && (k = duel_next(a, &set, &r->plan.duels, r->had, r->seed, &widest)) >= 0) {
        double at = (clock_now() - r->since) / 60;
        if (isfinite(widest) && least && !isfinite(least->half_width))
            duel_intervals(a, &set, DUEL_DRAWS, r->seed, least);
        if (lines && isfinite(widest) && at > told + 1) {
            text_printf(lines, "    %5.1f minutes  %5d launches  half width %.2f %%\n", at, r->launches, 100 * widest);
            told = at;
        }
        if (at > minutes)
            break;
        progress_at(at, "half width %.2f %%", 100 * widest);
        fine = launch(r, k, err);
        arena_reset(a);
    }
    duel_intervals(a, &set, DUEL_DRAWS, r->seed, last);
    if (least && !isfinite(least->half_width))
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

static bool open_run(struct retiming_run *r, struct bench_env *b, double minutes, double half_width, struct err *err)
{
    struct limits limits;
    struct measure_options o = {.target = registry_target(b->cli->registry, "cpu", err),
                                .target_settings = b->target_settings,
                                .layout = LAYOUT_REWRITTEN,
                                .seed = 1,
                                .faults = ""};
    *r = (struct retiming_run){.b = b};
    setting_defaults(duel_settings, &r->plan.duels);
    r->plan.duels.max_launches = LAUNCHES;
    r->plan.duels.minutes = b->minutes > 0 ? b->minutes : minutes;
    r->plan.duels.half_width = half_width;
    if (b->mirrors > 0)
        r->plan.duels.mirrors = b->mirrors;
    return o.target && regime_named("retime", &r->plan.retime_regime, err) && regime_named("retime", &o.regime, err) &&
           measure_open(&o, &r->m, &limits, err);
}

struct tally {
    int runs, loaded, hits, loaded_hits, hits_at_least; /* intervals that are as they should be */
    struct text lines;
    cJSON *details;
};

static void tell(struct tally *t, const struct retiming_run *r, bool loaded, bool hit, const struct duel_interval *i)
{
    double s = clock_now() - r->since;
    const char *line =
        arena_printf(r->a, "%-6s  ratio %.4f  [%.4f, %.4f]  half width %.2f %%  %4d launches in %.0f s  %s",
                     loaded ? "loaded" : "quiet", i->ratio, i->low, i->high, 100 * i->half_width, r->launches, s,
                     isnan(i->low) ? "too few launches for an interval"
                     : hit         ? "right"
                                   : "WRONG");
    text_printf(&t->lines, "    %s\n", line);
    log_info("bench: %s", line); /* one that is stopped keeps what it has shown */
    cJSON *o = json_put_object(t->details, NULL);
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

static bool one_run(struct retiming_run *r, struct tally *t, bool loaded, struct reading *out, struct err *err)
{
    struct duel_interval least = {.half_width = NAN}, last;
    struct process other = {0};
    if (loaded && !process_start(&(struct process_spec){.run = load}, &other, err))
        return false;
    run_begin(r);
    bool fine = run_all(r, &least, &last, NULL, err);
    process_close(&other);
    if (fine) {
        bool hit = is_right(r, &last);
        tell(t, r, loaded, hit, &last);
        t->runs++;
        t->loaded += loaded;
        t->hits += hit;
        t->loaded_hits += loaded && hit;
        t->hits_at_least += is_right(r, &least);
        reading_add(out, 100 * last.half_width);
    }
    arena_close(r->a);
    return fine;
}

static bool many_runs(struct bench_env *b, double slow, struct reading *out, struct err *err)
{
    struct retiming_run r;
    struct tally t = {.details = json_array()};
    int runs = b->runs > 0 ? (int)b->runs : RUNS;
    bool fine = open_run(&r, b, 2, PLANTED / 3, err);
    if (!fine)
        return false;
    r.slow = slow;
    fine = choose_pairs(&r, FEW_KERNELS, false, err);
    progress_begin("re-timings", r.plan.duels.minutes);
    for (int i = 0; i < runs && fine; i++) {
        r.seed = hash_mix(17, (uint64_t)i);
        fine = one_run(&r, &t, i % 2 == 1, out, err);
    }
    progress_end();
    measure_close(r.m);
    out->number = t.runs ? fmax(1e-9, (double)t.hits / t.runs) : 0;
    out->about =
        arena_printf(b->arena,
                     "%d of %d intervals %s (%d of %d under load; %d at the least launches); spread: half "
                     "widths in percent",
                     t.hits, t.runs, slow > 0 ? "find it" : "hold 1", t.loaded_hits, t.loaded, t.hits_at_least);
    out->lines = arena_str(b->arena, text_str(&t.lines));
    out->details_name = "retimings";
    out->details = t.details;
    text_free(&t.lines);
    return fine;
}

bool bench_aa(struct bench_env *b, struct reading *out, struct err *err)
{
    return many_runs(b, 0, out, err);
}

bool bench_planted(struct bench_env *b, struct reading *out, struct err *err)
{
    return many_runs(b, PLANTED, out, err);
}

bool bench_hundred(struct bench_env *b, struct reading *out, struct err *err)
{
    struct retiming_run r;
    struct duel_interval last;
    struct text lines = {0};
    if (!open_run(&r, b, 30, 0, err))
        return false;
    bool fine = choose_pairs(&r, MANY_KERNELS, true, err);
    if (fine) {
        r.seed = 23;
        progress_begin("a hundred kernels", r.plan.duels.minutes);
        run_begin(&r);
        fine = run_all(&r, NULL, &last, &lines, err);
        progress_end();
        reading_add(out, 100 * last.half_width);
        out->about = arena_printf(b->arena, "%d kernels, %d launches in %.1f minutes", r.n, r.launches,
                                  (clock_now() - r.since) / 60);
        out->lines = arena_str(b->arena, text_str(&lines));
        arena_close(r.a);
    }
    text_free(&lines);
    measure_close(r.m);
    return fine;
}
