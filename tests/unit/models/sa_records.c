/* SPDX-License-Identifier: Apache-2.0 */
/* sa_records: how well the Symbol-based Analyzer orders real programs: the published searches of lac-dcc/bennu on an
 * A100 and an RTX 3080 (six kernels), and two of TVM on an AVX-512 processor. For each kernel the rank correlation
 * (Spearman's rho) of the estimated with the measured times is printed. It is held loosely, at a floor for the mean
 * over kernels: Ansor's records crowd together near the optimum, where order is hardest, and times of single runs have
 * noise of their own. */
#include "harness/base/text.h"
#include "harness/experiment/machine.h"
#include "harness/program/lower/bound.h"
#include "harness/record/tvm/record_task.h"
#include "harness/stats/rank.h"
#include "tests/lib/fixture.h"
#include "tests/lib/tap.h"

#include <math.h>

enum { RECORDS_MAX = 1200 };

struct opened {
    const struct model *plug;
    void *self;
    struct model_env env;
};

static bool open_model(struct opened *m, const struct machine_analyzer *analyzer, const struct limits *limits,
                       const char *settings)
{
    struct err err = {0};
    void *options;
    m->plug = fixture_model("sa");
    m->self = arena_alloc(arena, m->plug->state_size);
    fixture_must(setting_options(arena, m->plug->settings, m->plug->options_size, settings, &options, &err), &err);
    m->env = (struct model_env){.options = options, .limits = *limits, .analyzer = analyzer};
    return ok(m->plug->open(m->self, &m->env, &err), "model sa opens with '%s'%s", settings, err.text);
}

/* A record's estimated and measured time; false: it failed, or it is not replayed. */
static bool read_record(struct opened *m, struct arena *a, struct record_task *id, const struct tvm_log_entry *e,
                        double *estimated, double *measured)
{
    struct found_task found;
    struct task *t;
    struct state *s;
    struct sample sample;
    struct err err = {0};
    double score;
    if (!record_task_find(id, e, &found, &err) || !task_parse(a, found.specs[0], &t, &err) ||
        !state_replay(a, t, e->steps, e->nsteps, &s, &err) || !bound_infer(s, &err) ||
        !m->plug->score(m->self, t, &s, 1, &score, &err)) {
        fail("the record is replayed: %s", err.text);
        return false;
    }
    tvm_log_sample(e, &sample);
    *estimated = 1 / score;
    *measured = sample_mean(&sample);
    return isfinite(score) && sample.outcome == OUTCOME_OK;
}

/* Estimated and measured times of a packed file's good records; how many. */
static int read_times(struct opened *m, const char *path, const char *spec, double *estimated, double *measured)
{
    struct record_task *id = record_task_open(NULL, 0, spec);
    struct tvm_log log;
    struct err err = {0};
    int n = 0;
    fixture_must(tvm_log_read(arena, path, &log, &err), &err);
    for (int i = 0; i < log.n && n < RECORDS_MAX; i++) {
        struct arena_mark mark = arena_mark(arena);
        n += read_record(m, arena, id, &log.entries[i], &estimated[n], &measured[n]);
        arena_release(arena, mark);
    }
    record_task_close(id);
    return n;
}

/* Mean over the kernels; -1 when a kernel has no order. *there: the files are here. */
static double correlate(struct opened *m, const char *machine, const char *const *kernels, const char *form,
                        const char *const *specs, bool *there)
{
    double *estimated = ARENA_ARRAY(arena, double, RECORDS_MAX), *measured = ARENA_ARRAY(arena, double, RECORDS_MAX);
    double sum = 0;
    int count = 0;
    for (; kernels[count]; count++) {
        const char *path = shared_path(arena_printf(arena, form, machine, kernels[count]));
        *there = path != NULL;
        if (!path)
            return -1;
        int n = read_times(m, path, specs[count], estimated, measured);
        double rho = rank_correlation(estimated, measured, n);
        diag("%s %s: %d records, rank correlation %.3f", machine, kernels[count], n, rho);
        sum += isfinite(rho) ? rho : -1;
    }
    return sum / count;
}

static void test_gpu(const char *name, const char *settings, double floor)
{
    static const char *const KERNELS[] = {"matmul", "conv2d", "depthwise", "pooling", "reduce", NULL};
    static const char *const SPECS[] = {
        /* experiments/networks/micro.yaml */
        "matmul n=1 m=1024 k=1024", "conv2d n=128 ci=128 hi=28 wi=28 co=128 kh=3 kw=3 ph=1 pw=1 layout=nchw",
        "depthwise_conv2d n=128 ci=84 hi=83 wi=83 kh=5 kw=5 sh=2 sw=2 ph=2 pw=2 layout=nchw",
        "pool2d n=128 c=168 hi=83 wi=83 kh=1 kw=1 sh=2 sw=2 pool=avg layout=nchw", "reduce n=128 h=512 m=1024 by=sum"};
    struct machine machine;
    struct opened m = {0};
    struct err err = {0};
    bool there;
    struct limits limits = limits_cuda();
    fixture_must(machine_load(arena, "experiments", name, &machine, &err), &err);
    if (!open_model(&m, &machine.analyzer, &limits, settings))
        return;
    double rho = correlate(&m, str_starts(name, "a100") ? "a100" : name, KERNELS, "data/tvm_logs/gpu/%s_%s.jsonl.gz",
                           SPECS, &there);
    m.plug->close(m.self);
    if (!there)
        skip("the published data is not here (RAINGAUGE_SHARED)", "SA orders the records of %s", name);
    else
        ok(rho >= floor, "SA (%s) orders the records of %s: mean rank correlation %.3f, at least %.2f", settings, name,
           rho, floor);
}

int main(void)
{
    test_gpu("a100-80", "variant=code", 0.4);
    test_gpu("a100-80", "variant=paper", 0.2);
    test_gpu("rtx3080", "variant=code", 0.25);
    test_gpu("rtx3080", "variant=paper", 0.15);
    static const char *const CPU[] = {"matmul512", "conv56", NULL};
    static const char *const SPECS[] = {"matmul n=512 m=512 k=512",
                                        "conv2d ci=64 hi=56 wi=56 co=64 kh=3 kw=3 ph=1 pw=1 layout=nhwc bias=1 relu=1"};
    struct machine_analyzer avx512 = {
        .vector_lanes = 16, .vector_registers = 32, .l1_kib = 48, .l2_kib = 2048, .l3_kib = 32768};
    struct limits limits = limits_cpu(1);
    struct opened m = {0};
    bool there;
    if (open_model(&m, &avx512, &limits, "")) {
        double rho = correlate(&m, "cpu_avx512", CPU, "data/tvm_logs/%s_%s.jsonl.gz", SPECS, &there);
        m.plug->close(m.self);
        if (!there)
            skip("the data is not here (RAINGAUGE_SHARED)", "SA orders the records of a CPU");
        else
            ok(rho >= 0.6, "SA orders the records of a CPU: mean rank correlation %.3f, at least %.2f", rho, 0.6);
    }
    return done_testing();
}
