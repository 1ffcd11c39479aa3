/* SPDX-License-Identifier: Apache-2.0 */
/* bench: raingauge's own speed, each number with its spread. These are not tests: nothing is asserted. A number that
 * could not be taken is null with its reason. Names and JSON keys are stable (HACKING.md). */
#include "harness/base/cpus.h"
#include "harness/base/log.h"
#include "harness/cli/bench/gauge.h"
#include "harness/cli/target_option.h"
#include "harness/plug/target.h"
#include "harness/stats/summary.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

/* In the order of taking: memory first, before anything else has filled this process. */
static const struct gauge gauges[] = {
    {"parent_mib", "MiB", "peak memory of the parent process in a campaign", bench_parent, "memory"},
    {"state_us", "us", "steps to features of one conv2d state, one core", bench_state, NULL},
    {"gpu_state_us", "us", "steps to a verified GPU nest and its features, one conv2d state, one core", bench_gpu_state,
     "gpu"},
    {"sa_gpu_per_s", "states/s", "model sa on lowered programs for GPUs, one core", bench_draft_gpu, "sa"},
    {"sa_cpu_per_s", "states/s", "model sa on lowered programs for CPUs, one core", bench_draft_cpu, "sa"},
    {"round_s", "s", "one search round of ansor without measurement", bench_round, NULL},
    {"fit_s", "s", "training of the cost model after a round", bench_fit, NULL},
    {"pacm_states", "1/s", "states that model pacm scores in a second, features at hand", bench_pacm_states, "pacm"},
    {"pacm_fit_s", "s", "one fit of model pacm on 2,000 records, 50 epochs", bench_pacm_fit, "pacm"},
    {"build_ms", "ms", "one candidate in one build worker", bench_build, NULL},
    {"trial_s", "s", "one measured trial from end to end", bench_trial, NULL},
    {"build_tvm_ms", "ms", "one candidate in one build worker, codegen=tvm", bench_build_tvm, "tvm"},
    {"trial_tvm_s", "s", "one measured trial from end to end, codegen=tvm", bench_trial_tvm, "tvm"},
    {"builds_cuda_per_s", "1/s", "NVRTC in all build workers, without a GPU", bench_builds_cuda, "gpu"},
    {"trials_cuda_per_s", "1/s", "GPU trials with and without builds beside runs, NVRTC", bench_trials_cuda, "gpu"},
    {"trials_opencl_per_s", "1/s", "the same through OpenCL; on PoCL runs are no GPU's", bench_trials_opencl, "gpu"},
    {"fma_peak_1t_gflops", "GFLOP/s", "multiply-add peak of one thread", bench_peak_one, "peak"},
    {"fma_peak_gflops", "GFLOP/s", "multiply-add peak of all threads", bench_peak_all, "peak"},
    {"matmul_peak_1t", "of peak", "best matmul 512x512x512, one thread", bench_matmul_one, "matmul"},
    {"matmul_peak_all", "of peak", "best matmul 512x512x512, all threads", bench_matmul_all, "matmul"},
    {"onednn_geomean", "ratio", "resnet18's convolutions against oneDNN", bench_onednn, "onednn"},
    {"tvm_replay_geomean", "ratio", "replayed TVM schedules against TVM's own times", bench_replay, "replay"},
    {"tvm_speed_geomean", "ratio", "three kernels against TVM's auto_scheduler after equal trials", bench_rivals,
     "rivals"},
    {"tvm_time_ratio", "ratio", "time of those searches over TVM's", bench_rivals_time, "rivals"},
    {"report_s", "s", "a report of 200,000 records", bench_report_time, "report"},
    {"report_mib", "MiB", "peak memory of that report", bench_report_memory, "report"},
    {"resume_s", "s", "resume of a cell of 34,000 trials, until the first new one", bench_resume, NULL},
    {"phases_gap", "of wall", "what the phases of those searches miss of wall time", bench_phases, "rivals"},
    {"aa_held", "share", "duels of programs with themselves whose interval holds 1", bench_aa, "aa"},
    {"planted_found", "share", "duels with a slowdown of 5 % on one side that find it", bench_planted, "planted"},
    {"hundred_half_width", "%", "half width of a re-timing of 100 kernels", bench_hundred, "hundred"},
};
enum { GAUGES = sizeof gauges / sizeof *gauges };

struct result {
    const struct gauge *gauge;
    struct reading reading;
    const char *reason; /* NULL: measured */
};

/* Those that take from minutes to half an hour are taken only when they are named. */
static bool is_long(const struct gauge *g)
{
    return g->take == bench_aa || g->take == bench_trials_opencl || g->take == bench_planted ||
           g->take == bench_hundred;
}

/* Which numbers are wanted: all, that name, those of that family, or the only one whose name begins so. */
static bool find_only(const char *only, bool wanted[GAUGES], struct err *err)
{
    const char *names[2 * GAUGES];
    int n = 0, exact = 0, begun = 0;
    for (int i = 0; i < GAUGES; i++) {
        const char *family = gauges[i].family ? gauges[i].family : "";
        names[n++] = gauges[i].name;
        if (*family)
            names[n++] = family;
        wanted[i] = (!only && !is_long(&gauges[i])) || str_eq(only, gauges[i].name) || str_eq(only, family);
        exact += wanted[i];
        begun += only && str_starts(gauges[i].name, only);
    }
    for (int i = 0; !exact && begun == 1 && i < GAUGES; i++)
        wanted[i] = str_starts(gauges[i].name, only);
    if (exact || begun == 1)
        return true;
    if (begun)
        return err_set(err, "'%s' is the beginning of %d numbers: say more of it", only, begun);
    const char *near = str_nearest(only, names, n);
    if (near)
        return err_set(err, "unknown number '%s': did you mean '%s'?", only, near);
    struct text all = {0};
    for (int i = 0; i < GAUGES; i++)
        text_printf(&all, "%s%s", i ? ", " : "", gauges[i].name);
    err_set(err, "unknown number '%s', there are: %s", only, text_str(&all));
    text_free(&all);
    return false;
}

/* False only when a person stopped it. */
static bool take(struct bench_env *b, const struct gauge *g, struct result *r, struct err *err)
{
    struct err why = {0};
    *r = (struct result){.gauge = g};
    log_info("bench: %s", g->name);
    if (g->take(b, &r->reading, &why) && r->reading.n > 0)
        return true;
    if (why.code == EXIT_INTERRUPTED) {
        err_set(err, "stopped while measuring '%s'", g->name);
        err->code = EXIT_INTERRUPTED;
        return false;
    }
    r->reading.n = 0;
    r->reason = arena_str(b->arena, *why.text ? why.text : "no reading was taken");
    return true;
}

static void add_result(const struct result *r, struct text *t)
{
    struct summary s = summary_of(r->reading.at, r->reading.n);
    if (r->reason) {
        text_printf(t, "%-20s %10s %-8s %s\n", r->gauge->name, "-", r->gauge->unit, r->reason);
        return;
    }
    text_printf(t, "%-20s %10.4g %-8s %.4g to %.4g in %d; %s\n", r->gauge->name, reading_number(&r->reading),
                r->gauge->unit, s.min, s.max, s.n, r->reading.about);
    for (int k = 0; r->reading.pairs && k < r->reading.n; k++) {
        const struct pair *p = &r->reading.pairs[k];
        text_printf(t, "    %-64s %10.4f ms, theirs %10.4f ms, ratio %.3f\n", p->kernel, p->ours_ms, p->theirs_ms,
                    r->reading.at[k]);
    }
    if (r->reading.lines)
        text_add(t, r->reading.lines);
}

static void print_text(const struct result *r, int n)
{
    struct text t = {0};
    for (int i = 0; i < n; i++) {
        add_result(&r[i], &t);
        cJSON_Delete(r[i].reading.details);
    }
    cli_print(&t);
    text_free(&t);
}

static void put_pairs(cJSON *in, const struct reading *r)
{
    cJSON *list = json_put_array(in, "pairs");
    for (int i = 0; i < r->n; i++) {
        cJSON *o = json_put_object(list, NULL);
        json_put_str(o, "kernel", r->pairs[i].kernel);
        json_put_number(o, "ours_ms", r->pairs[i].ours_ms);
        json_put_number(o, "theirs_ms", r->pairs[i].theirs_ms);
        json_put_number(o, "ratio", r->at[i]);
    }
}

static void put_spread(cJSON *in, struct result *r)
{
    struct summary s = summary_of(r->reading.at, r->reading.n);
    cJSON *o = json_put_object(in, r->gauge->name);
    json_put_int(o, "n", s.n);
    json_put_number(o, "min", s.min);
    json_put_number(o, "max", s.max);
    json_put_number(o, "mad", s.mad);
    json_put_str(o, "about", r->reading.about);
    if (r->reading.pairs)
        put_pairs(o, &r->reading);
    if (r->reading.details)
        json_put(o, r->reading.details_name, r->reading.details);
}

static void print_json(struct result *r, int n)
{
    cJSON *out = json_object();
    for (int i = 0; i < n; i++)
        json_put_number(out, r[i].gauge->name, reading_number(&r[i].reading));
    cJSON *spread = json_put_object(out, "spread"), *reasons = json_put_object(out, "reasons");
    for (int i = 0; i < n; i++)
        if (r[i].reason)
            json_put_str(reasons, r[i].gauge->name, r[i].reason);
        else
            put_spread(spread, &r[i]);
    cli_print_json(out);
}

struct bench_options {
    const char *only, *trials, *kernel, *target, *runs, *minutes, *mirrors;
};
static const struct option options[] = {
    OPTION(struct bench_options, only, "--only", "NAME",
           "one number or family: state_us, round_s, build_ms, gpu, matmul, ..."),
    OPTION(struct bench_options, trials, "--trials", "N", "trials of each search (0: what the number asks for)"),
    OPTION(struct bench_options, runs, "--runs", "N", "re-timings of aa and planted (0: 4, half of them under load)"),
    OPTION(struct bench_options, minutes, "--minutes", "M",
           "of each re-timing of aa and planted at most (0: 2), of hundred (0: 30)"),
    OPTION(struct bench_options, mirrors, "--mirrors", "N", "rule of duels of that name, for aa, planted, hundred (0)"),
    OPTION(struct bench_options, kernel, "--kernel", "TEXT",
           "of a number over several kernels, those with TEXT in the name"),
    OPTION(struct bench_options, target, "--target", "cpu[,KEY=VALUE]...",
           "settings of target cpu, for all numbers that run kernels: cpu,codegen=tvm (cpu,codegen=fast)"),
    {0}};

static bool run(struct cli *c, struct err *err)
{
    const struct bench_options *o = c->options;
    bool wanted[GAUGES];
    struct bench_env b = {.cli = c, .arena = c->arena, .kernel = o->kernel};
    struct result results[GAUGES];
    int n = 0, failed = 0;
    struct target_option target;
    if (!find_only(o->only, wanted, err) || !target_option_parse(c, o->target, &target, err))
        return false;
    if (!str_eq(target.target->name, "cpu"))
        return err_set(err, "--target: bench runs its kernels on target 'cpu', not on '%s'", target.target->name);
    b.target_settings = target.settings;
    if (!str_int(o->runs, &b.runs) || b.runs < 0 || b.runs > READINGS_MAX)
        return err_set(err, "--runs must be a whole number between 0 and %d, not '%s'", READINGS_MAX, o->runs);
    if (!str_real(o->minutes, &b.minutes) || b.minutes < 0)
        return err_set(err, "--minutes must be a number of minutes, not '%s'", o->minutes);
    if (!str_int(o->mirrors, &b.mirrors) || b.mirrors < 0 || b.mirrors > DUEL_MIRRORS)
        return err_set(err, "--mirrors must be a whole number between 0 and %d, not '%s'", DUEL_MIRRORS, o->mirrors);
    if (!str_int(o->trials, &b.trials) || b.trials < 0 || b.trials > 1000000)
        return err_set(err, "--trials must be a whole number between 0 and 1000000, not '%s'", o->trials);
    b.cores = cpus_usable();
    for (int i = 0; i < GAUGES; i++) {
        if (!wanted[i])
            continue;
        if (!take(&b, &gauges[i], &results[n], err))
            return false;
        failed += results[n].reason != NULL;
        n++;
    }
    if (c->json)
        print_json(results, n);
    else
        print_text(results, n);
    if (!failed)
        return true;
    err->code = EXIT_INCONCLUSIVE;
    return err_set(err, "%d number%s could not be measured, see the reasons", failed, failed > 1 ? "s" : "");
}

static const struct json_member members[] = {
    MEMBER("{number}", "its unit", "The number, by its name; null: it could not be taken."),
    MEMBER("spread", "object", "One member for each number that was taken."),
    MEMBER_MAYBE("spread.{number}.n", "count", "Readings."),
    MEMBER_MAYBE("spread.{number}.min", "its unit", "The smallest reading."),
    MEMBER_MAYBE("spread.{number}.max", "its unit", "The largest reading."),
    MEMBER_MAYBE("spread.{number}.mad", "its unit", "Median absolute deviation of the readings from their median."),
    MEMBER_MAYBE("spread.{number}.about", "text", "What was measured."),
    MEMBER_MAYBE("spread.{number}.pairs[].kernel", "text", "A kernel that another program ran too."),
    MEMBER_MAYBE("spread.{number}.pairs[].ours_ms", "ms", "Our time."),
    MEMBER_MAYBE("spread.{number}.pairs[].theirs_ms", "ms", "The other program's time."),
    MEMBER_MAYBE("spread.{number}.pairs[].ratio", "ratio", "Theirs over ours; above 1 ours is faster."),
    MEMBER_MAYBE("spread.{number}.rivals[].kernel", "text", "A kernel that TVM's auto_scheduler searched too."),
    MEMBER_MAYBE("spread.{number}.rivals[].trials", "count", "Trials of each search."),
    MEMBER_MAYBE("spread.{number}.rivals[].seeds", "count", "Searches of ours."),
    MEMBER_MAYBE("spread.{number}.rivals[].gflops", "GFLOP/s", "Speed of our best programs, median over searches."),
    MEMBER_MAYBE("spread.{number}.rivals[].gflops_min", "GFLOP/s", "The slowest of them."),
    MEMBER_MAYBE("spread.{number}.rivals[].gflops_max", "GFLOP/s", "The fastest of them."),
    MEMBER_MAYBE("spread.{number}.rivals[].share_of_peak", "of peak", "Median share of the highest peak seen here."),
    MEMBER_MAYBE("spread.{number}.rivals[].tvm_gflops", "GFLOP/s", "Speed of TVM's best program, on another machine."),
    MEMBER_MAYBE("spread.{number}.rivals[].tvm_share_of_peak", "of peak", "Its share of that machine's peak."),
    MEMBER_MAYBE("spread.{number}.rivals[].trial_s", "seconds", "Seconds a trial, search included, median."),
    MEMBER_MAYBE("spread.{number}.rivals[].tvm_trial_s", "seconds", "The same of TVM."),
    MEMBER_MAYBE("spread.{number}.phases_s[].kernel", "text", "A kernel of these searches."),
    MEMBER_MAYBE("spread.{number}.phases_s[].{phase}", "seconds",
                 "Seconds of a phase in a mean search; wall: all of it."),
    MEMBER_MAYBE("spread.{number}.retimings[].loaded", "truth", "A process beside it took a third of a core."),
    MEMBER_MAYBE("spread.{number}.retimings[].ratio", "ratio", "Second side over first, of eight kernels."),
    MEMBER_MAYBE("spread.{number}.retimings[].low", "ratio", "Low end of its 95 % interval."),
    MEMBER_MAYBE("spread.{number}.retimings[].high", "ratio", "High end of it."),
    MEMBER_MAYBE("spread.{number}.retimings[].launches", "count", "Launches of all kernels."),
    MEMBER_MAYBE("spread.{number}.retimings[].seconds", "seconds", "How long it took."),
    MEMBER_MAYBE("spread.{number}.retimings[].right", "truth",
                 "The interval holds 1 (aa_held), or lies above it (planted_found)."),
    MEMBER_MAYBE("spread.{number}.overlap.built_first_per_s", "1/s", "The same where a batch is built, then run."),
    MEMBER_MAYBE("spread.{number}.overlap.gain", "ratio", "Trials a second with overlap over those without, median."),
    MEMBER_MAYBE("spread.{number}.overlap.times_ratio", "ratio",
                 "Times of the same programs with overlap over those without, median."),
    MEMBER_MAYBE("spread.{number}.overlap.builds_beside_runs", "count", "Workers that may build beside a run."),
    MEMBER_MAYBE("spread.{number}.overlap.forced", "truth", "The device runs kernels on the cores that build."),
    MEMBER("reasons", "object", "One member for each number that could not be taken."),
    MEMBER_MAYBE("reasons.{number}", "text", "Why."),
    {0}};
static const struct json_form forms[] = {JSON_FORM("raingauge bench", members), {0}};

static const struct verb_exit exits[] = {
    {EXIT_INCONCLUSIVE, "a number could not be taken; its reason is printed"}, {EXIT_INTERRUPTED, "interrupted"}, {0}};

const struct verb verb_bench = {
    .name = "bench",
    .arguments = "",
    .summary = "raingauge's own speed",
    .options = options,
    .defaults =
        &(const struct bench_options){
            .trials = "0", .target = "cpu,codegen=fast", .runs = "0", .minutes = "0", .mirrors = "0"},
    .options_size = sizeof(struct bench_options),
    .exits = exits,
    .json = forms,
    .run = run};
