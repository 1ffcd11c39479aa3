/* SPDX-License-Identifier: Apache-2.0 */
/* bench_store: what many records cost, in stores that are made and not searched: random programs with made-up times,
 * written as a search on target fake writes them. The work under the clock is another process.
 *
 * A report of 200,000 records: Table 3 at tier full, with Ansor's trials, descents from every k, and five launches of
 * each best program; seconds and memory.
 *
 * A resume of one cell of Ansor with 34,000 trials, as it is when a campaign was killed before its last round: from the
 * start of the process to the first new trial on record. The file is checked, every record goes to the searcher and the
 * model again, the next round is searched; seconds and memory. Then that process is stopped, so later readings begin
 * inside a round. The first has no model and trains it; the others find the one that was kept, as after a kill. */
#include "harness/base/clock.h"
#include "harness/base/file.h"
#include "harness/cli/bench/gauges.h"
#include "harness/experiment/experiment.h"
#include "harness/record/database.h"
#include "harness/record/store.h"
#include "harness/tune/cell.h"
#include "harness/tune/duel_list.h"

#include <math.h>
#include <signal.h>

enum { EXPLORED = 9000, EXPLOITED = 3, ROUND = 64, REPORTS = 5, EACH = 4 };
enum { RECORDED = 34000, RESUMES = 3, PATIENCE_S = 1800 };
#define POLL_S 0.005
/* Of the resume what is recorded ends with a whole round; four more rounds may follow. */
static const char *const sets[] = {"target=fake", "networks=resnet18", "duels.max_launches=0", "ansor.trials=34304"};
enum { REPORT_SETS = 1, RESUME_SETS = sizeof sets / sizeof *sets };

struct made { /* a store, and where the cell is that is being written */
    struct bench_env *b;
    struct experiment *e;
    struct store *s;
    struct rng rng;
    struct err *err;
    int cell, round;
    int64_t ordinal;
    double elapsed_s;
};

/* The experiment as `raingauge` would load it with these sets, its cells in a new store in the folder. */
static bool make_open(struct made *m, const char *folder, int nsets)
{
    struct experiment_options o = {
        .folder = m->b->cli->folder, .name = "table3", .tier = "full", .results = folder, .sets = sets, .nsets = nsets};
    struct text regime = {0};
    rng_seed(&m->rng, 1);
    if (!cli_need_experiments(m->b->cli, m->err) ||
        !experiment_load(m->b->arena, m->b->cli->registry, &o, &m->e, m->err))
        return false;
    const struct plan *p = &m->e->plan;
    setting_print(regime_settings, &p->regime, &regime);
    struct store_campaign c = {.keys = p->keys,
                               .experiment_hash = p->experiment_hash,
                               .regime = text_str(&regime),
                               .is_virtual = true,
                               .revision = "bench",
                               .environment = "{}"};
    bool fine = store_open(folder, &c, STORE_NEW, &m->s, m->err);
    for (int i = 0; i < p->ncells && fine; i++) {
        struct store_cell stored;
        cell_stored(m->b->arena, p, i, &stored);
        fine = store_cell_put(m->s, i, &stored, m->err);
    }
    text_free(&regime);
    return fine;
}

/* The trial number i of its task. */
static bool put_trial(struct made *m, int task, int64_t i, const struct candidate *c, double *best)
{
    double s = 1e-3 * (0.5 + 4 * rng_unit(&m->rng)) / (1 + 0.01 * (double)i), cost_s = 0.5;
    bool fine = rng_below(&m->rng, 50) > 0;
    struct record r = {.cell = m->cell,
                       .task = task,
                       .round = m->round,
                       .ordinal = m->ordinal++,
                       .task_ordinal = i,
                       .sample = {.outcome = fine ? OUTCOME_OK : OUTCOME_RUN_TIMEOUT,
                                  .nseconds = fine ? 3 : 0,
                                  .seconds = {s, 1.01 * s, 1.02 * s},
                                  .build_s = 0.3,
                                  .run_s = 0.2,
                                  .cost_s = cost_s,
                                  .model_score = NAN},
                       .wall_s = cost_s};
    r.elapsed_s = m->elapsed_s += cost_s;
    *best = fmin(*best, sample_mean(&r.sample));
    return store_trial(m->s, &r, c, m->err);
}

/* n trials of a task after first others, in one transaction: of the programs in their order where they are n, else each
 * of any. *best: the fastest valid mean, seconds; INFINITY none. */
static bool put_round(struct made *m, int task, int64_t first, int n, const struct gauge_draws *d, double *best)
{
    struct store_round r = {.number = m->round, .task = task, .asked = n, .begin_s = m->elapsed_s};
    double phases[PHASE_COUNT] = {0};
    struct store_spent spent = {.phases = phases};
    if (!store_round_begin(m->s, m->cell, &r, m->err) ||
        !database_run(store_database(m->s), m->err, "BEGIN IMMEDIATE", ""))
        return false;
    bool fine = true;
    *best = INFINITY;
    for (int i = 0; i < n && fine; i++)
        fine = put_trial(m, task, first + i, &d->c[d->n == n ? i : (int)rng_below(&m->rng, (uint64_t)d->n)], best);
    phases[PHASE_COUNT - 1] = m->elapsed_s - r.begin_s;
    spent.end_s = m->elapsed_s;
    return database_end(store_database(m->s), fine, m->err) &&
           store_round_end(m->s, m->cell, m->round++, &spent, m->err);
}

/* ---- the report ---- */

/* Duels of the best programs, each launched DUEL_LEAST times: any times will do. */
static bool put_launches(struct made *m)
{
    const struct duel_list_rules rules = {.top = 1, .null_share = 0.1};
    struct record_scan scan;
    struct duel_list l;
    if (!record_scan_read(m->b->arena, m->s, NULL, 0, &scan, m->err) ||
        !duel_list_read(m->s, m->b->arena, &scan, &l, m->err) || !duel_list_make(&l, m->s, &rules, m->err))
        return false;
    for (int d = 0; d < l.n; d++)
        for (int i = 0; i < DUEL_LEAST; i++) {
            struct duel_launch_key key = {.duel = d, .launch = i, .regime = "last"};
            struct duel_process by_place[DUEL_PROGRAMS];
            for (int p = 0; p < l.at[d].programs; p++)
                by_place[p] = (struct duel_process){
                    "[]", {.nseconds = 1, .seconds = {1e-3 * (1 + 0.01 * ((d + 3 * i + 7 * p) % 11))}}};
            if (!duel_launch_put(m->s, &key, by_place, l.at[d].programs, m->err))
                return false;
        }
    return true;
}

/* Descents start from the best of the first k records. */
static bool put_seed(struct made *m, int task)
{
    const struct cell_plan *p = &m->e->plan.cells[m->cell];
    struct record seed;
    bool found;
    if (!store_best(m->s, m->b->arena, (struct store_part){p->explore_cell, task, p->k}, &seed, &found, m->err))
        return false;
    struct store_task t = {.seed_trial = found ? seed.id : 0, .shared_cell = -1, .state = "done"};
    return store_task_state(m->s, m->cell, task, &t, m->err);
}

/* d: any programs will do, as their steps are stored and never replayed. */
static bool fill_cell(struct made *m, int cell, const struct gauge_draws *d)
{
    const struct cell_plan *p = &m->e->plan.cells[cell];
    struct arena_mark mark = arena_mark(m->b->arena);
    bool explores = p->explore_cell < 0, fine = true;
    int each = explores ? EXPLORED / p->ntasks : EXPLOITED;
    double best;
    m->cell = cell;
    m->round = 0;
    m->ordinal = 0;
    m->elapsed_s = 0;
    for (int first = 0; first < each && fine; first += ROUND)
        for (int t = 0; t < p->ntasks && fine; t++)
            fine = put_round(m, t, first, each - first < ROUND ? each - first : ROUND, d, &best);
    fine = fine && database_run(store_database(m->s), m->err, "BEGIN IMMEDIATE", "");
    for (int t = 0; t < p->ntasks && fine; t++)
        fine = explores || put_seed(m, t);
    fine = database_end(store_database(m->s), fine, m->err) &&
           store_cell_state(m->s, cell, "done", m->elapsed_s, 0, m->err);
    arena_release(m->b->arena, mark);
    return fine;
}

static bool fill_report(struct made *m)
{
    struct gauge_draws d = {.each = EACH, .seed = 1, .limits = limits_cpu(m->b->cores)};
    bool fine = gauge_draw(m->b, &d, m->err);
    for (int c = 0; fine && c < m->e->plan.ncells; c++)
        fine = fill_cell(m, c, &d);
    return fine && put_launches(m);
}

static bool run_report(struct bench_env *b, const char *folder, struct reading *out, struct err *err)
{
    const char *const words[] = {"report", "table3", "--tier", "full", "--set", sets[0], "--results", folder, "--json"};
    struct process report;
    double began = clock_now();
    if (!gauge_spawn(b, words, sizeof words / sizeof *words, true, &report, err))
        return false;
    process_wait(&report, INFINITY);
    reading_add(&out[0], clock_now() - began);
    reading_add(&out[1], (double)report.peak_bytes / (1 << 20));
    return process_fine(&report, err);
}

/* ---- the resume ---- */

/* In the order of the scheduler, each trial another program. */
static bool fill_resume(struct made *m)
{
    const struct cell_plan *p = &m->e->plan.cells[0];
    struct arena *rounds = arena_open("scheduler"); /* it grows while the bench's arena is released after each round */
    struct scheduler s;
    bool fine = cell_scheduler(rounds, p, &s, m->err);
    while (fine && m->ordinal < RECORDED) {
        struct arena_mark mark = arena_mark(m->b->arena);
        int64_t max;
        double best;
        int task = scheduler_next(&s, &max);
        struct gauge_draws d = {.nkernels = 1, .seed = (uint64_t)m->round, .limits = limits_cpu(m->b->cores)};
        fine = task >= 0 || err_set(m->err, "the budget of the cell was spent too early");
        if (fine) {
            d.kernels = &p->tasks[task].task;
            d.each = (int)max;
        }
        fine = fine && gauge_draw(m->b, &d, m->err) && put_round(m, task, s.tasks[task].trials, d.n, &d, &best);
        if (fine)
            scheduler_tell(&s, task, d.n, best);
        arena_release(m->b->arena, mark);
    }
    arena_close(rounds);
    return fine && store_cell_state(m->s, 0, "running", m->elapsed_s, 0, m->err);
}

static bool last_trial(struct database *d, int64_t *id, struct err *err)
{
    struct query q;
    if (!query_open(&q, d, err, "SELECT max(id) FROM trial", ""))
        return false;
    *id = query_next(&q, err) ? query_int(&q, 0) : 0;
    return query_close(&q);
}

/* Until there is a trial that was not there before. */
static bool wait_for_trial(struct database *d, struct process *p, int64_t before, struct err *err)
{
    double until = clock_now() + PATIENCE_S;
    for (int64_t now = before; now <= before;) {
        if (process_wait(p, clock_now() + POLL_S))
            return err_set(err, "the resumed campaign ended without a trial");
        if (clock_now() > until)
            return err_set(err, "no trial within %d s of the resume", PATIENCE_S);
        if (!last_trial(d, &now, err))
            return false;
    }
    return true;
}

static bool run_resume(struct bench_env *b, const char *folder, struct reading *out, struct err *err)
{
    const char *const words[] = {"run",   "table3", "--tier", "full",  "--set",   sets[0],    "--set",     sets[1],
                                 "--set", sets[2],  "--set",  sets[3], "--quiet", "--resume", "--results", folder};
    struct database *d;
    int64_t before;
    struct process p;
    if (!database_open_read(file_join(b->arena, folder, "records.db"), &d, err))
        return false;
    double began = clock_now();
    bool fine = last_trial(d, &before, err) && gauge_spawn(b, words, sizeof words / sizeof *words, false, &p, err);
    if (fine) {
        double mib = 0;
        fine = wait_for_trial(d, &p, before, err);
        reading_add(&out[0], clock_now() - began);
        fine = fine && gauge_peak_mib(p.pid, &mib, err);
        reading_add(&out[1], mib);
        process_signal(&p, SIGINT);
        process_wait(&p, INFINITY);
    }
    database_close(d);
    return fine;
}

static bool take(struct bench_env *b, int nsets, bool (*fill)(struct made *), int n,
                 bool (*run)(struct bench_env *, const char *, struct reading *, struct err *), struct reading *out,
                 struct err *err)
{
    struct made m = {.b = b, .err = err};
    const char *folder;
    if (!gauge_folder(b, &folder, err))
        return false;
    bool fine = make_open(&m, folder, nsets) && fill(&m);
    store_close(m.s);
    for (int i = 0; i < n && fine; i++)
        fine = run(b, folder, out, err);
    gauge_folder_remove(b, folder);
    return fine;
}

bool bench_report(struct bench_env *b, int which, struct reading *out, struct err *err)
{
    (void)which;
    out[0].about = out[1].about = "report table3 --json over a made store of 200,000 records, a process of its own";
    return take(b, REPORT_SETS, fill_report, REPORTS, run_report, out, err);
}

bool bench_resume(struct bench_env *b, int which, struct reading *out, struct err *err)
{
    (void)which;
    out[0].about = out[1].about =
        "run --resume of a made cell (ansor and xgb on resnet18), process start to first new trial; only the first "
        "trains the model";
    return take(b, RESUME_SETS, fill_resume, RESUMES, run_resume, out, err);
}
