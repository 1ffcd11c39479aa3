/* SPDX-License-Identifier: Apache-2.0 */
/* bench_rivals: TVM v0.16's auto_scheduler on three kernels, after as many trials as it had. Its figures are typed in.
 * They were measured on two cores of a Zen 5 virtual machine with AVX-512 and an FMA peak of 241
 * GFLOP/s a core, 2 threads, number 10, repeat 3, LLVM 16, -mcpu=znver4. Machines differ, so speed is compared as the
 * share of the own machine's peak; time a trial is compared as it is. Our best programs are timed again in fresh
 * processes; TVM's figures are those of its search. */
#include "harness/cli/bench/best_program.h"
#include "harness/cli/bench/gauges.h"
#include "harness/stats/summary.h"

#include <math.h>
#include <string.h>

#define TVM_PEAK_GFLOPS (2 * 241.0)
enum { SEEDS = 5, LAUNCHES = 6 };

static const struct rival {
    const char *name, *spec;
    int trials;
    double gflops, trial_s; /* TVM's best program; its seconds a trial, search included */
} RIVALS[] = {
    {"matmul 512", "matmul n=512 m=512 k=512", 192, 416, 1.69},
    {"conv 56x56x64", "conv2d ci=64 hi=56 wi=56 co=64 kh=3 kw=3 ph=1 pw=1 layout=nhwc bias=1 relu=1", 128, 372, 2.43},
    {"conv 14x14x256", "conv2d ci=256 hi=14 wi=14 co=256 kh=3 kw=3 ph=1 pw=1 layout=nhwc bias=1 relu=1", 192, 374,
     2.80},
};
enum { COUNT = sizeof RIVALS / sizeof *RIVALS };

struct kernel_comparison { /* one kernel */
    const struct rival *rival;
    struct best_program searches[SEEDS];
    double gflops[SEEDS], share[SEEDS], trial_s[SEEDS]; /* share: of the machine's peak */
    double phases[PHASE_COUNT], rounds_s;               /* mean of a search */
};
struct tvm_comparison {
    struct kernel_comparison of[COUNT];
    int n;
};

static bool search_all(struct bench_env *b, struct kernel_comparison *c, struct err *err)
{
    struct task *task;
    if (!task_parse(b->arena, c->rival->spec, &task, err))
        return false;
    for (int i = 0; i < SEEDS; i++) {
        struct best_program *h = &c->searches[i];
        *h = (struct best_program){
            .task = task, .trials = b->trials ? b->trials : c->rival->trials, .seed = i + 1, .threads = b->cores};
        if (!best_program_run(b, h, err))
            return false;
        c->trial_s[i] = h->search_s / (double)h->trials;
        c->rounds_s += h->rounds_s / SEEDS;
        for (int p = 0; p < PHASE_COUNT; p++)
            c->phases[p] += h->phases[p] / SEEDS;
    }
    if (!best_program_time(b, c->searches, SEEDS, LAUNCHES, NULL, err))
        return false;
    for (int i = 0; i < SEEDS; i++) {
        c->gflops[i] = task->flops / summary_of(c->searches[i].least_s, c->searches[i].n).min / 1e9;
        c->share[i] = best_program_best_share(&c->searches[i]);
    }
    return true;
}

/* Once for the three numbers that come of it. */
static bool searches_ready(struct bench_env *b, struct err *err)
{
    if (b->tvm)
        return b->tvm->n > 0 || err_set(err, "the searches failed before");
    struct tvm_comparison *all = b->tvm = ARENA_NEW(b->arena, struct tvm_comparison);
    int n = 0;
    for (int i = 0; i < COUNT; i++) {
        if (b->kernel && !strstr(RIVALS[i].name, b->kernel))
            continue;
        all->of[n].rival = &RIVALS[i];
        if (!search_all(b, &all->of[n++], err))
            return false;
    }
    all->n = n;
    return n > 0 || err_set(err, "no kernel has '%s' in its name", b->kernel);
}

/* ---- print ---- */

static void print_line(const struct kernel_comparison *c, struct text *t)
{
    struct summary s = summary_of(c->gflops, SEEDS), trial = summary_of(c->trial_s, SEEDS);
    text_printf(t,
                "    %-16s %4.0f GFLOP/s (%.0f to %.0f in %d seeds) %.3f of peak, TVM %.0f and %.3f; %.4f s a trial "
                "(%.4f to %.4f), TVM %.2f\n",
                c->rival->name, s.median, s.min, s.max, s.n, summary_median(c->share, SEEDS), c->rival->gflops,
                c->rival->gflops / TVM_PEAK_GFLOPS, trial.median, trial.min, trial.max, c->rival->trial_s);
}

static void put_rival(const struct kernel_comparison *c, cJSON *list)
{
    struct summary s = summary_of(c->gflops, SEEDS), trial = summary_of(c->trial_s, SEEDS);
    cJSON *o = json_put_object(list, NULL);
    json_put_str(o, "kernel", c->rival->name);
    json_put_int(o, "trials", c->searches[0].trials);
    json_put_int(o, "seeds", SEEDS);
    json_put_number(o, "gflops", s.median);
    json_put_number(o, "gflops_min", s.min);
    json_put_number(o, "gflops_max", s.max);
    json_put_number(o, "share_of_peak", summary_median(c->share, SEEDS));
    json_put_number(o, "tvm_gflops", c->rival->gflops);
    json_put_number(o, "tvm_share_of_peak", c->rival->gflops / TVM_PEAK_GFLOPS);
    json_put_number(o, "trial_s", trial.median);
    json_put_number(o, "tvm_trial_s", c->rival->trial_s);
}

static double phase_sum(const struct kernel_comparison *c)
{
    double sum = 0;
    for (int p = 0; p < PHASE_COUNT; p++)
        sum += c->phases[p];
    return sum;
}

static void print_phases(const struct kernel_comparison *c, struct text *t)
{
    text_printf(t, "    %-16s", c->rival->name);
    for (int p = 0; p < PHASE_COUNT; p++)
        text_printf(t, " %s %.2f", phase_name((enum phase)p), c->phases[p]);
    text_printf(t, ", sum %.2f of %.2f s\n", phase_sum(c), c->rounds_s);
}

static void put_phases(const struct kernel_comparison *c, cJSON *list)
{
    cJSON *o = json_put_object(list, NULL);
    json_put_str(o, "kernel", c->rival->name);
    for (int p = 0; p < PHASE_COUNT; p++)
        json_put_number(o, phase_name((enum phase)p), c->phases[p]);
    json_put_number(o, "wall", c->rounds_s);
}

/* ---- the numbers ---- */

bool bench_rivals(struct bench_env *b, struct reading *out, struct err *err)
{
    if (!searches_ready(b, err))
        return false;
    const struct tvm_comparison *all = b->tvm;
    struct text lines = {0};
    out->details = json_array();
    for (int i = 0; i < all->n; i++) {
        const struct kernel_comparison *c = &all->of[i];
        reading_add(out, summary_median(c->share, SEEDS) / (c->rival->gflops / TVM_PEAK_GFLOPS));
        print_line(c, &lines);
        put_rival(c, out->details);
    }
    out->geometric = true;
    out->lines = arena_str(b->arena, text_str(&lines));
    out->details_name = "rivals";
    text_free(&lines);
    out->about = arena_printf(b->arena,
                              "our share of the highest peak seen over TVM's of %.0f GFLOP/s, as many trials, "
                              "median of %d seeds, %d threads; one reading a kernel",
                              TVM_PEAK_GFLOPS, SEEDS, b->cores);
    return true;
}

bool bench_rivals_time(struct bench_env *b, struct reading *out, struct err *err)
{
    if (!searches_ready(b, err))
        return false;
    for (int i = 0; i < b->tvm->n; i++) {
        const struct kernel_comparison *c = &b->tvm->of[i];
        reading_add(out, summary_median(c->trial_s, SEEDS) / c->rival->trial_s);
    }
    out->geometric = true;
    out->about = "seconds a trial, all included, over those of TVM's auto_scheduler; one reading a kernel";
    return true;
}

bool bench_phases(struct bench_env *b, struct reading *out, struct err *err)
{
    if (!searches_ready(b, err))
        return false;
    struct text lines = {0};
    out->details = json_array();
    for (int i = 0; i < b->tvm->n; i++) {
        const struct kernel_comparison *c = &b->tvm->of[i];
        reading_add(out, fabs(phase_sum(c) / c->rounds_s - 1));
        print_phases(c, &lines);
        put_phases(c, out->details);
    }
    out->lines = arena_str(b->arena, text_str(&lines));
    out->details_name = "phases_s";
    text_free(&lines);
    out->about = "what the phases of these searches miss of their wall time; seconds of a mean search follow";
    return true;
}
