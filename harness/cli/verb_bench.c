/* SPDX-License-Identifier: Apache-2.0 */
/* bench: raingauge's own speed, each number with its spread. These are not tests: nothing is asserted. A number that
 * could not be taken is null with its reason. Names and JSON keys are stable (HACKING.md). */
#include "harness/base/log.h"
#include "harness/cli/bench/gauge.h"
#include "harness/stats/summary.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

/* In the order of taking: memory first, before anything else has filled this process. */
static const struct gauge gauges[] = {
    {"parent_mib", "MiB", "peak memory of the parent process in a campaign", bench_parent, "memory"},
    {"state_us", "us", "steps to features of one conv2d state, one core", bench_state, NULL},
    {"round_s", "s", "one search round of ansor without measurement", bench_round, NULL},
    {"fit_s", "s", "training of the cost model after a round", bench_fit, NULL},
    {"build_ms", "ms", "one candidate in one build worker", bench_build, NULL},
    {"trial_s", "s", "one measured trial from end to end", bench_trial, NULL},
    {"fma_peak_1t_gflops", "GFLOP/s", "multiply-add peak of one thread", bench_peak_one, "peak"},
    {"fma_peak_gflops", "GFLOP/s", "multiply-add peak of all threads", bench_peak_all, "peak"},
    {"matmul_peak_1t", "of peak", "best matmul 512x512x512, one thread", bench_matmul_one, "matmul"},
    {"matmul_peak_all", "of peak", "best matmul 512x512x512, all threads", bench_matmul_all, "matmul"},
    {"onednn_geomean", "ratio", "resnet18's convolutions against oneDNN", bench_onednn, "onednn"},
    {"tvm_replay_geomean", "ratio", "replayed TVM schedules against TVM's own times", bench_replay, "replay"},
    {"tvm_speed_geomean", "ratio", "three kernels against TVM's auto_scheduler after equal trials", bench_rivals,
     "rivals"},
    {"tvm_time_ratio", "ratio", "time of those searches over TVM's", bench_rivals_time, "rivals"},
    {"phases_gap", "of wall", "what the phases of those searches miss of wall time", bench_phases, "rivals"},
};
enum { GAUGES = sizeof gauges / sizeof *gauges };

struct result {
    const struct gauge *gauge;
    struct reading reading;
    const char *reason; /* NULL: measured */
};

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
        wanted[i] = !only || str_eq(only, gauges[i].name) || str_eq(only, family);
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
    return near ? err_set(err, "unknown number '%s': did you mean '%s'?", only, near)
                : err_set(err, "unknown number '%s': `raingauge bench --help` names some", only);
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

static void print_text(const struct result *r, int n, struct text *t)
{
    for (int i = 0; i < n; i++) {
        struct summary s = summary_of(r[i].reading.at, r[i].reading.n);
        if (r[i].reason)
            text_printf(t, "%-20s %10s %-8s %s\n", r[i].gauge->name, "-", r[i].gauge->unit, r[i].reason);
        else
            text_printf(t, "%-20s %10.4g %-8s %.4g to %.4g in %d; %s\n", r[i].gauge->name,
                        reading_number(&r[i].reading), r[i].gauge->unit, s.min, s.max, s.n, r[i].reading.about);
        for (int k = 0; r[i].reading.pairs && !r[i].reason && k < r[i].reading.n; k++) {
            const struct pair *p = &r[i].reading.pairs[k];
            text_printf(t, "    %-64s %10.4f ms, theirs %10.4f ms, ratio %.3f\n", p->kernel, p->ours_ms, p->theirs_ms,
                        r[i].reading.at[k]);
        }
        if (r[i].reading.lines && !r[i].reason)
            text_add(t, r[i].reading.lines);
    }
}

static void print_pairs(const struct reading *r, struct text *t)
{
    text_add(t, ", \"pairs\": [");
    for (int i = 0; i < r->n; i++) {
        text_printf(t, "%s{\"kernel\": ", i ? ", " : "");
        text_json(t, r->pairs[i].kernel);
        text_add(t, ", \"ours_ms\": ");
        text_number(t, r->pairs[i].ours_ms);
        text_add(t, ", \"theirs_ms\": ");
        text_number(t, r->pairs[i].theirs_ms);
        text_add(t, ", \"ratio\": ");
        text_number(t, r->at[i]);
        text_add(t, "}");
    }
    text_add(t, "]");
}

static void print_spread(const struct result *r, struct text *t)
{
    struct summary s = summary_of(r->reading.at, r->reading.n);
    const struct {
        const char *name;
        double v;
    } members[] = {{"min", s.min}, {"max", s.max}, {"mad", s.mad}};
    text_printf(t, "\"%s\": {\"n\": %d", r->gauge->name, s.n);
    for (int i = 0; i < 3; i++) {
        text_printf(t, ", \"%s\": ", members[i].name);
        text_number(t, members[i].v);
    }
    text_add(t, ", \"about\": ");
    text_json(t, r->reading.about);
    if (r->reading.pairs)
        print_pairs(&r->reading, t);
    if (r->reading.members)
        text_printf(t, ", %s", r->reading.members);
    text_add(t, "}");
}

static void print_json(const struct result *r, int n, struct text *t)
{
    bool first = true;
    text_add(t, "{");
    for (int i = 0; i < n; i++) {
        text_printf(t, "\"%s\": ", r[i].gauge->name);
        text_number(t, reading_number(&r[i].reading));
        text_add(t, ", ");
    }
    text_add(t, "\"spread\": {");
    for (int i = 0; i < n; i++) {
        if (r[i].reason)
            continue;
        text_add(t, first ? "" : ", ");
        print_spread(&r[i], t);
        first = false;
    }
    text_add(t, "}, \"reasons\": {");
    first = true;
    for (int i = 0; i < n; i++) {
        if (!r[i].reason)
            continue;
        text_printf(t, "%s\"%s\": ", first ? "" : ", ", r[i].gauge->name);
        text_json(t, r[i].reason);
        first = false;
    }
    text_add(t, "}}\n");
}

bool verb_bench(struct cli *c, struct err *err)
{
    const char *only = NULL, *trials = "0", *kernel = NULL;
    bool wanted[GAUGES];
    const struct option table[] = {
        {"--only", "NAME", "one number or family: state_us, round_s, build_ms, matmul, onednn, ...", NULL, &only, NULL},
        {"--trials", "N", "trials of each search, 0 for what the number asks for (0)", NULL, &trials, NULL},
        {"--kernel", "TEXT", "of a number of several kernels those with TEXT in the name", NULL, &kernel, NULL},
        {0}};
    struct bench_env b = {.cli = c, .arena = c->arena};
    struct result results[GAUGES];
    int n = 0, nwords, failed = 0;
    if (!cli_options(c, table, NULL, 0, &nwords, err) || !find_only(only, wanted, err))
        return false;
    if (!str_int(trials, &b.trials) || b.trials < 0 || b.trials > 1000000)
        return err_set(err, "--trials must be a whole number between 0 and 1000000, not '%s'", trials);
    b.kernel = kernel;
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    b.cores = online > 0 ? (int)online : 1;
    for (int i = 0; i < GAUGES; i++) {
        if (!wanted[i])
            continue;
        if (!take(&b, &gauges[i], &results[n], err))
            return false;
        failed += results[n].reason != NULL;
        n++;
    }
    struct text t = {0};
    if (c->json)
        print_json(results, n, &t);
    else
        print_text(results, n, &t);
    cli_print(&t);
    text_free(&t);
    if (!failed)
        return true;
    err->code = EXIT_INCONCLUSIVE;
    return err_set(err, "%d number%s could not be measured, see the reasons", failed, failed > 1 ? "s" : "");
}
