/* SPDX-License-Identifier: Apache-2.0 */
/* bench_search: numbers of whole searches, ordinary campaigns of one cell (ansor, xgb) in a folder of their own that is
 * removed afterwards. The most memory that the parent holds; the share of the machine's peak that the best matmul
 * 512x512x512 reaches; ResNet-18's convolutions against oneDNN's with the same epilogue, the layouts oneDNN likes best
 * and weights packed ahead, on as many threads. Best programs are timed again in fresh processes, in turn with the
 * rival's, by the same code (targets cpu and onednn). */
#include "harness/cli/bench/gauges.h"
#include "harness/measure/worker.h"
#include "harness/record/store.h"
#include "harness/stats/summary.h"
#include "harness/tune/campaign.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Random programs are up to forty times slower than the best: timing those in full would take most of the time. */
#define PATIENCE 5
#define MATMUL "matmul n=512 m=512 k=512"
enum { PEAK_READINGS = 5, TRIALS = 200, MATMUL_LAUNCHES = 12, ONEDNN_LAUNCHES = 7, LAUNCHES_MAX = 16 };
enum { PARENT_TRIALS = 512, PARENT_KERNELS = 4 };

struct best_program { /* of a search for one kernel */
    const struct task *task;
    struct candidate c;                                                      /* steps in the bench's arena */
    int n;                                                                   /* launches, a fresh process each */
    double ours_s[LAUNCHES_MAX], theirs_s[LAUNCHES_MAX], peak[LAUNCHES_MAX]; /* fastest repeats, median, FLOP/s */
};

/* A campaign over n kernels. best: NULL, or of a single kernel, whose best program it gets. */
static bool search(struct bench_env *b, const char *target, const char *regime, struct cell_plan cell, int threads,
                   struct best_program *best, struct err *err)
{
    struct campaign_options o = {.faults = "", .revision = "", .versions = ""};
    struct store *s;
    struct record r;
    bool found = false;
    const char *folder;
    if (!gauge_folder(b, &folder, err))
        return false;
    cell.arm = cell.searcher = "ansor";
    cell.model = "xgb";
    cell.searcher_settings = cell.model_settings = "";
    cell.seed = 1;
    cell.batch = 64; /* TVM's */
    cell.scheduler = SCHEDULER_GRADIENT;
    cell.explore_cell = -1;
    struct plan plan = {.stem = "bench",
                        .tier = "",
                        .results_dir = folder,
                        .experiment_hash = "bench",
                        .target = target,
                        .target_settings = str_eq(target, "cpu") ? b->target_settings : "",
                        .machine = "host",
                        .layout = LAYOUT_REWRITTEN,
                        .input_seed = 1,
                        .threads = threads,
                        .cells = &cell,
                        .ncells = 1};
    bool fine = regime_named(regime, &plan.regime, err) && regime_named("retime", &plan.retime_regime, err);
    plan.regime.patience = best ? PATIENCE : plan.regime.patience;
    fine = fine && campaign_run(b->cli->registry, &plan, &o, err);
    if (fine && best && (fine = store_open_read(folder, &s, err))) {
        fine = store_best(s, b->arena, (struct store_part){0, 0, 0}, &r, &found, err);
        store_close(s);
        fine = fine && (found ? record_candidate(b->arena, &r, best->task, &best->c, err)
                              : err_set(err, "no valid program of '%s' was found", best->task->name));
    }
    gauge_folder_remove(b, folder);
    return fine;
}

static int64_t trials_of(const struct bench_env *b)
{
    return b->trials ? b->trials : TRIALS;
}

static bool search_kernel(struct bench_env *b, const struct task *task, int threads, struct best_program *out,
                          struct err *err)
{
    struct plan_task row = {.task = task, .weight = 1};
    out->task = task;
    return search(b, "cpu", "tvmc",
                  (struct cell_plan){.network = "bench", .tasks = &row, .ntasks = 1, .trials = trials_of(b)}, threads,
                  out, err);
}

/* ---- the peak ---- */

struct meter { /* the peak of target cpu. Others who use the host change it up to twofold within seconds */
    const struct target *target;
    void *self;
};

static bool meter_open(struct bench_env *b, int threads, struct meter *out, struct err *err)
{
    struct target_env env = {.threads = threads, .layout = LAYOUT_NONE};
    struct limits limits;
    out->target = registry_target(b->cli->registry, "cpu", err);
    return out->target && target_begin(out->target, "", b->arena, &env, &out->self, &limits, err);
}

bool bench_peak(struct bench_env *b, int which, struct reading *out, struct err *err)
{
    int threads = which == BENCH_ONE ? 1 : b->cores;
    struct meter m;
    if (!meter_open(b, threads, &m, err))
        return false;
    for (int i = 0; i < PEAK_READINGS; i++)
        reading_add(out, m.target->peak_flops(m.self) / 1e9);
    m.target->close(m.self);
    out->about = arena_printf(b->arena, "independent multiply-adds on the widest vectors, %d thread%s", threads,
                              threads > 1 ? "s" : "");
    return out->at[0] > 0 || err_set(err, "target 'cpu' knows no peak of this processor");
}

/* ---- the winners again ---- */

/* layout: a rival does not know our steps, and so not the order in which they would have the weights. */
static bool open_retiming(struct bench_env *b, const char *target, int threads, enum layout_mode layout,
                          struct measurer **out, struct err *err)
{
    struct measure_options o;
    struct limits limits;
    if (!gauge_measure(b, target, "retime", &o, err))
        return false;
    o.threads = threads;
    o.build_workers = 1;
    o.layout = layout;
    return measure_open(&o, out, &limits, err);
}

static bool time_again(struct measurer *m, const struct candidate *c, struct summary *out, struct err *err)
{
    struct regime regime;
    struct sample s;
    if (!regime_named("retime", &regime, err) || !measure_again(m, c, &regime, &s, err))
        return false;
    *out = summary_of(s.seconds, s.nseconds);
    return s.outcome == OUTCOME_OK ||
           err_set(err, "'%s' could not be timed again: %s: %s", c->task->name, outcome_word(s.outcome), s.message);
}

/* The best programs of n searches: ours, theirs, ours, ... and all kernels in turn, so that a slow spell of the machine
 * falls on all. The peak is that just before or after ours, the higher. rival: name of a target, NULL none. */
static bool time_all(struct bench_env *b, struct best_program *h, int n, int threads, int launches, const char *rival,
                     struct err *err)
{
    struct measurer *ours = NULL, *theirs = NULL;
    struct meter peak = {0};
    bool metered = meter_open(b, threads, &peak, err);
    bool fine = metered && open_retiming(b, "cpu", threads, LAYOUT_REWRITTEN, &ours, err) &&
                (!rival || open_retiming(b, rival, threads, LAYOUT_NONE, &theirs, err));
    for (int i = 0; fine && i < launches * n; i++) {
        struct best_program *p = &h[i % n];
        struct summary mine, other;
        double before = peak.target->peak_flops(peak.self);
        fine = time_again(ours, &p->c, &mine, err);
        p->peak[p->n] = fmax(before, peak.target->peak_flops(peak.self));
        fine = fine && (!theirs || time_again(theirs, &p->c, &other, err));
        if (!fine)
            break;
        p->ours_s[p->n] = rival ? mine.median : mine.min;
        p->theirs_s[p->n++] = theirs ? other.median : NAN;
    }
    if (metered)
        peak.target->close(peak.self);
    measure_close(theirs);
    measure_close(ours);
    return fine;
}

/* Of each launch the fastest repeat over the peak of its moment: what others do on the host slows both, but not at the
 * same instant. The number is the fastest repeat of all launches over the highest peak seen. While the sibling thread
 * of the host's core is busy, a kernel with loads runs at 0.6 of its speed for seconds, and the multiply-adds of the
 * peak do not slow down. So a median over launches would depend on other users of the host. */
bool bench_matmul(struct bench_env *b, int which, struct reading *out, struct err *err)
{
    int threads = which == BENCH_ONE ? 1 : b->cores;
    struct best_program h = {0};
    struct task *task;
    if (!task_parse(b->arena, MATMUL, &task, err) || !search_kernel(b, task, threads, &h, err) ||
        !time_all(b, &h, 1, threads, MATMUL_LAUNCHES, NULL, err))
        return false;
    double peak = summary_of(h.peak, h.n).max;
    for (int i = 0; i < h.n; i++)
        if (h.peak[i] > 0)
            reading_add(out, task->flops / h.ours_s[i] / h.peak[i]);
    out->number = task->flops / summary_of(h.ours_s, h.n).min / peak;
    out->about =
        arena_printf(b->arena,
                     "best of %lld trials, weights packed: fastest repeat over the highest peak (%.1f GFLOP/s), "
                     "%d thread%s; one reading a fresh process, over the peak of its moment",
                     (long long)trials_of(b), peak / 1e9, threads, threads > 1 ? "s" : "");
    return true;
}

bool bench_onednn(struct bench_env *b, int which, struct reading *out, struct err *err)
{
    const struct task **kernels;
    int n, found = 0;
    (void)which;
    if (!registry_target(b->cli->registry, "onednn", NULL))
        return err_set(err, "this binary was built without oneDNN (Debian: libdnnl-dev)");
    if (!gauge_kernels(b, &kernels, &n, err))
        return false;
    struct best_program *h = ARENA_ARRAY(b->arena, struct best_program, n);
    for (int i = 0; i < n; i++)
        if ((!b->kernel || strstr(kernels[i]->name, b->kernel)) &&
            !search_kernel(b, kernels[i], b->cores, &h[found++], err))
            return false;
    if (!found)
        return err_set(err, "no kernel has '%s' in its name", b->kernel);
    if (!time_all(b, h, found, b->cores, ONEDNN_LAUNCHES, "onednn", err))
        return false;
    for (int i = 0; i < found; i++)
        reading_pair(b, out, h[i].task->name, 1e3 * summary_of(h[i].ours_s, h[i].n).min,
                     1e3 * summary_of(h[i].theirs_s, h[i].n).min);
    out->about = arena_printf(b->arena,
                              "oneDNN's time over ours after %lld trials a kernel, %d threads; of each the fastest of "
                              "%d processes that took turns",
                              (long long)trials_of(b), b->cores, ONEDNN_LAUNCHES);
    return true;
}

/* ---- memory ---- */

/* The machine is target fake: the parent's part does not depend on it. The peak is Linux's VmHWM, set back before the
 * campaign where the kernel allows it, so that other gauges of the same process do not count. */
bool bench_parent(struct bench_env *b, int which, struct reading *out, struct err *err)
{
    const struct task **kernels;
    int n;
    double mib;
    (void)which;
    if (!gauge_kernels(b, &kernels, &n, err))
        return false;
    struct plan_task *rows = ARENA_ARRAY(b->arena, struct plan_task, n);
    for (int i = 0; i < n; i++)
        rows[i] = (struct plan_task){.task = kernels[i], .weight = 1};
    struct cell_plan cell = {.network = "resnet18",
                             .tasks = rows,
                             .ntasks = n < PARENT_KERNELS ? n : PARENT_KERNELS,
                             .trials = PARENT_TRIALS};
    FILE *f = fopen("/proc/self/clear_refs", "w");
    if (f) {
        fputs("5", f);
        fclose(f);
    }
    if (!search(b, "fake", "tvm", cell, 0, NULL, err) || !gauge_peak_mib(getpid(), &mib, err))
        return false;
    reading_add(out, mib);
    out->about =
        arena_printf(b->arena, "peak of resident memory in a campaign of %d trials, ansor and xgb", PARENT_TRIALS);
    return true;
}
