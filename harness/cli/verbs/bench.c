/* SPDX-License-Identifier: Apache-2.0 */
/* bench: raingauge's own speed, each number with its spread. These are not tests: nothing is asserted. A number that
 * could not be taken is null with its reason. Names and JSON keys are stable (harness/doc/json.md). */
#include "harness/base/cpus.h"
#include "harness/base/log.h"
#include "harness/cli/bench/gauges.h"
#include "harness/cli/named_option.h"
#include "harness/plug/target.h"
#include "harness/stats/summary.h"

#include <math.h>
#include <unistd.h>

/* In the order of taking: memory first, before anything else has filled this process. */
static const struct gauge {
    const char *name, *unit, *summary;
    gauge_take *take;
    int which, part;    /* part: of what take gives, which is taken once for all its parts */
    const char *family; /* another name for --only, which some share; NULL none */
    bool named_only;    /* it takes from minutes to half an hour: only when it is named */
} gauges[] = {
    {"parent_mib", "MiB", "peak memory of the parent process in a campaign", bench_parent, 0, 0, "memory", false},
    {"state_us", "us", "steps to features of one conv2d state, one core", bench_state, BENCH_CPU, 0, NULL, false},
    {"gpu_state_us", "us", "steps to a verified GPU nest and its features, one conv2d state, one core", bench_state,
     BENCH_GPU, 0, "gpu", false},
    {"sa_gpu_per_s", "states/s", "model sa on lowered programs for GPUs, one core", bench_draft, BENCH_GPU, 0, "sa",
     false},
    {"sa_cpu_per_s", "states/s", "model sa on lowered programs for CPUs, one core", bench_draft, BENCH_CPU, 0, "sa",
     false},
    {"round_s", "s", "one search round of ansor without measurement", bench_round, 0, 0, NULL, false},
    {"fit_s", "s", "training of the cost model after a round", bench_round, 0, 1, NULL, false},
    {"pacm_states", "1/s", "states that model pacm scores in a second, features at hand", bench_learned, BENCH_SCORES,
     0, "pacm", false},
    {"pacm_fit_s", "s", "one fit of model pacm on 2,000 records, 50 epochs", bench_learned, BENCH_FITS, 0, "pacm",
     false},
    {"build_ms", "ms", "one candidate in one build worker", bench_build, BENCH_AS_ASKED, 0, NULL, false},
    {"trial_s", "s", "one measured trial from end to end", bench_build, BENCH_AS_ASKED, 1, NULL, false},
    {"build_tvm_ms", "ms", "one candidate in one build worker, codegen=tvm", bench_build, BENCH_TVM, 0, "tvm", false},
    {"trial_tvm_s", "s", "one measured trial from end to end, codegen=tvm", bench_build, BENCH_TVM, 1, "tvm", false},
    {"load_ms", "ms", "the runner's part of a trial beyond the program's calls", bench_runner, 0, 0, "runner", false},
    {"runner_start_ms", "ms", "the start of a runner", bench_runner, 0, 1, "runner", false},
    {"exchange_us", "us", "a line to a user's program and its answer (searcher and model exec)", bench_exchange, 0, 0,
     "exec", false},
    {"builds_cuda_per_s", "1/s", "NVRTC in all build workers, without a GPU", bench_builds_cuda, 0, 0, "gpu", false},
    {"trials_cuda_per_s", "1/s", "GPU trials with and without builds beside runs, NVRTC", bench_trials, BENCH_CUDA, 0,
     "gpu", false},
    {"trials_opencl_per_s", "1/s", "the same through OpenCL; on PoCL runs are no GPU's", bench_trials, BENCH_OPENCL, 0,
     "gpu", true},
    {"trials_cpu_per_s", "1/s", "trials of one thread with and without builds beside runs", bench_trials, BENCH_HOST, 0,
     NULL, true},
    {"fma_peak_1t_gflops", "GFLOP/s", "multiply-add peak of one thread", bench_peak, BENCH_ONE, 0, "peak", false},
    {"fma_peak_gflops", "GFLOP/s", "multiply-add peak of all threads", bench_peak, BENCH_ALL_THREADS, 0, "peak", false},
    {"matmul_peak_1t", "of peak", "best matmul 512x512x512, one thread", bench_matmul, BENCH_ONE, 0, "matmul", false},
    {"matmul_peak_all", "of peak", "best matmul 512x512x512, all threads", bench_matmul, BENCH_ALL_THREADS, 0, "matmul",
     false},
    {"onednn_geomean", "ratio", "resnet18's convolutions against oneDNN", bench_onednn, 0, 0, "onednn", false},
    {"tvm_replay_geomean", "ratio", "replayed TVM schedules against TVM's own times", bench_replay, 0, 0, "replay",
     false},
    {"report_s", "s", "a report of 200,000 records", bench_report, 0, 0, "report", false},
    {"report_mib", "MiB", "peak memory of that report", bench_report, 0, 1, "report", false},
    {"resume_s", "s", "resume of a cell of 34,000 trials, until the first new one", bench_resume, 0, 0, "resume",
     false},
    {"resume_mib", "MiB", "peak memory of the parent in that resume", bench_resume, 0, 1, "resume", false},
    {"aa_held", "share", "duels of programs with themselves whose interval holds 1", bench_duel, BENCH_EQUAL, 0, "aa",
     true},
    {"planted_found", "share", "duels with a slowdown of 5 % on one side that find it", bench_duel, BENCH_PLANTED, 0,
     "planted", true},
};
enum { GAUGES = sizeof gauges / sizeof *gauges };

struct result {
    const struct gauge *gauge;
    struct reading *readings; /* all parts, shared by the gauges that take the same */
    const char *reason;       /* NULL: measured */
};

static struct reading *reading_of(const struct result *r)
{
    return &r->readings[r->gauge->part];
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
        wanted[i] = (!only && !gauges[i].named_only) || str_eq(only, gauges[i].name) || str_eq(only, family);
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
    const char *every[GAUGES];
    for (int i = 0; i < GAUGES; i++)
        every[i] = gauges[i].name;
    return str_unknown(err, "number", only, every, GAUGES);
}

/* r[n], after those before it. False only when a person stopped it. */
static bool take(struct bench_env *b, const struct gauge *g, struct result *r, int n, struct err *err)
{
    struct err why = {0};
    for (int i = 0; i < n; i++)
        if (r[i].gauge->take == g->take && r[i].gauge->which == g->which) {
            r[n] = (struct result){g, r[i].readings, r[i].reason};
            return true;
        }
    r[n] = (struct result){.gauge = g, .readings = ARENA_ARRAY(b->arena, struct reading, READINGS)};
    log_info("bench: %s", g->name);
    if (g->take(b, g->which, r[n].readings, &why) && reading_of(&r[n])->n > 0)
        return true;
    if (why.code == EXIT_INTERRUPTED) {
        err_set(err, "stopped while measuring '%s'", g->name);
        err->code = EXIT_INTERRUPTED;
        return false;
    }
    cJSON_Delete(reading_of(&r[n])->details);
    reading_of(&r[n])->details = NULL;
    r[n].reason = arena_str(b->arena, *why.text ? why.text : "no reading was taken");
    return true;
}

static void print_text(const struct result *r, int n)
{
    struct text t = {0};
    for (int i = 0; i < n; i++) {
        const struct gauge *g = r[i].gauge;
        const struct reading *p = reading_of(&r[i]);
        struct summary s = summary_of(p->at, p->n);
        if (r[i].reason)
            text_printf(&t, "%-20s %10s %-8s %s\n", g->name, "-", g->unit, r[i].reason);
        else
            text_printf(&t, "%-20s %10.4g %-8s %.4g to %.4g in %d; %s\n%s", g->name, reading_number(p), g->unit, s.min,
                        s.max, s.n, p->about, p->lines ? p->lines : "");
        cJSON_Delete(p->details);
    }
    cli_print(&t);
}

static void put_spread(cJSON *in, const struct result *r)
{
    struct reading *p = reading_of(r);
    struct summary s = summary_of(p->at, p->n);
    cJSON *o = json_put_object(in, r->gauge->name);
    json_put_int(o, "n", s.n);
    json_put_number(o, "min", s.min);
    json_put_number(o, "max", s.max);
    json_put_number(o, "mad", s.mad);
    json_put_str(o, "about", p->about);
    if (p->details)
        json_put(o, p->details_name, p->details);
}

static void print_json(const struct result *r, int n)
{
    cJSON *out = json_object();
    for (int i = 0; i < n; i++)
        json_put_number(out, r[i].gauge->name, r[i].reason ? (double)NAN : reading_number(reading_of(&r[i])));
    cJSON *spread = json_put_object(out, "spread"), *reasons = json_put_object(out, "reasons");
    for (int i = 0; i < n; i++)
        if (r[i].reason)
            json_put_str(reasons, r[i].gauge->name, r[i].reason);
        else
            put_spread(spread, &r[i]);
    cli_print_json(out);
}

struct bench_options {
    const char *only, *kernel, *target;
    int64_t trials, runs, mirrors;
    double minutes;
};
static const struct setting options[] = {
    STRING_SETTING("--only", struct bench_options, only, NULL,
                   "one number or family: state_us, round_s, build_ms, gpu, matmul, ...", .word = "NAME"),
    INT_SETTING("--trials", struct bench_options, trials, "0", 0, 1000000,
                "trials of each search (0: what the number asks for)", .word = "N"),
    INT_SETTING("--runs", struct bench_options, runs, "0", 0, READINGS_MAX,
                "re-timings of aa and planted (0: 4, half of them under load)", .word = "N"),
    REAL_SETTING("--minutes", struct bench_options, minutes, "0", 0, 10000,
                 "of each re-timing of aa and planted at most (0: 2)", .word = "M"),
    INT_SETTING("--mirrors", struct bench_options, mirrors, "0", 0, DUEL_MIRRORS,
                "rule of duels of that name, for aa and planted (0)", .word = "N"),
    STRING_SETTING("--kernel", struct bench_options, kernel, NULL,
                   "of a number over several kernels, those with TEXT in the name", .word = "TEXT"),
    STRING_SETTING("--target", struct bench_options, target, "cpu,codegen=fast",
                   "settings of target cpu, for all numbers that run kernels: cpu,codegen=tvm",
                   .word = "cpu[,KEY=VALUE]..."),
    {0}};

static bool run(struct cli *c, struct err *err)
{
    const struct bench_options *o = c->options;
    bool wanted[GAUGES];
    struct bench_env b = {.cli = c,
                          .arena = c->arena,
                          .kernel = o->kernel,
                          .trials = o->trials,
                          .runs = o->runs,
                          .minutes = o->minutes,
                          .mirrors = o->mirrors};
    struct result results[GAUGES];
    int n = 0, failed = 0;
    struct target_option target;
    if (!find_only(o->only, wanted, err) || !target_option_parse(c, o->target, &target, err))
        return false;
    if (!str_eq(target.target->name, "cpu"))
        return err_set(err, "--target: bench runs its kernels on target 'cpu', not on '%s'", target.target->name);
    b.target_settings = target.settings;
    b.cores = cpus_usable();
    for (int i = 0; i < GAUGES; i++) {
        if (!wanted[i])
            continue;
        if (!take(&b, &gauges[i], results, n, err))
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

const struct verb verb_bench = {.name = "bench",
                                .arguments = "",
                                .summary = "raingauge's own speed",
                                VERB_OPTIONS(struct bench_options),
                                .exits = exits,
                                .json = forms,
                                .run = run};
