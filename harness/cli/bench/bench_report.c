/* SPDX-License-Identifier: Apache-2.0 */
/* bench_report: what a report of 200,000 records costs. The store is made, not searched: Table 3 at tier full on target
 * fake, with Ansor's trials, descents from every k, and three launches of each best program. The report is another
 * process, so that its memory is its own. */
#include "harness/base/clock.h"
#include "harness/base/file.h"
#include "harness/base/rng.h"
#include "harness/cli/bench/gauge.h"
#include "harness/experiment/experiment.h"
#include "harness/record/database.h"
#include "harness/record/retiming.h"
#include "harness/record/store.h"
#include "harness/tune/cell.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>

extern char **environ;

enum { EXPLORED = 9000, EXPLOITED = 3, ROUND = 64, LAUNCHES = 3, READINGS = 5, EACH = 4 };

struct maker {
    struct bench_env *b;
    const struct experiment *e;
    struct store *s;
    const struct candidate *programs; /* any will do: their steps are stored and never replayed */
    int nprograms;
    struct rng rng;
    struct err *err;
};

/* ---- the store ---- */

static const char *const sets[] = {"target=fake"};

static bool open_store(struct maker *m)
{
    const struct plan *p = &m->e->plan;
    struct text regime = {0};
    setting_print(regime_settings, &p->regime, &regime);
    struct store_campaign c = {.keys = p->keys,
                               .experiment_hash = p->experiment_hash,
                               .regime = text_str(&regime),
                               .is_virtual = true,
                               .revision = "bench",
                               .environment = "{}"};
    bool fine = store_open(p->results_dir, &c, STORE_NEW, &m->s, m->err);
    text_free(&regime);
    return fine;
}

static bool put_cell(struct maker *m, int cell)
{
    struct store_cell c;
    cell_stored(m->b->arena, &m->e->plan, cell, &c);
    return store_cell_put(m->s, cell, &c, m->err);
}

struct clock {
    int64_t ordinal;
    double elapsed_s;
    int round;
};

static bool put_trial(struct maker *m, int cell, int task, int64_t task_ordinal, struct clock *at)
{
    const struct candidate *program = &m->programs[rng_below(&m->rng, (uint64_t)m->nprograms)];
    double s = 1e-3 * (0.5 + 4 * rng_unit(&m->rng)) / (1 + 0.01 * (double)task_ordinal), cost_s = 0.5;
    bool fine = rng_below(&m->rng, 50) > 0;
    struct record r = {.cell = cell,
                       .task = task,
                       .round = at->round,
                       .ordinal = at->ordinal++,
                       .task_ordinal = task_ordinal,
                       .sample = {.outcome = fine ? OUTCOME_OK : OUTCOME_RUN_TIMEOUT,
                                  .nseconds = fine ? 3 : 0,
                                  .seconds = {s, 1.01 * s, 1.02 * s},
                                  .build_s = 0.3,
                                  .run_s = 0.2,
                                  .cost_s = cost_s,
                                  .model_score = NAN},
                       .wall_s = cost_s};
    r.elapsed_s = at->elapsed_s += cost_s;
    return store_trial(m->s, &r, program, m->err);
}

/* One round of one task, in one transaction. */
static bool put_round(struct maker *m, int cell, int task, int64_t first, int n, struct clock *at)
{
    struct store_round r = {.number = at->round, .task = task, .asked = n, .begin_s = at->elapsed_s};
    double phases[PHASE_COUNT] = {0};
    struct store_spent spent = {.phases = phases};
    if (!store_round_begin(m->s, cell, &r, m->err) ||
        !database_run(store_database(m->s), m->err, "BEGIN IMMEDIATE", ""))
        return false;
    bool fine = true;
    for (int i = 0; i < n && fine; i++)
        fine = put_trial(m, cell, task, first + i, at);
    phases[PHASE_COUNT - 1] = at->elapsed_s - r.begin_s;
    spent.end_s = at->elapsed_s;
    return database_end(store_database(m->s), fine, m->err) && store_round_end(m->s, cell, at->round++, &spent, m->err);
}

static bool put_launches(struct maker *m, int cell, int task)
{
    struct record best;
    bool found, fine = store_best(m->s, m->b->arena, (struct store_part){cell, task, 0}, &best, &found, m->err);
    for (int i = 0; i < LAUNCHES && fine && found; i++) {
        struct store_retiming f = {.trial = best.id, .launch = i, .regime = "last", .sample = best.sample};
        fine = store_retiming_put(m->s, &f, m->err);
    }
    return fine;
}

/* Descents start from the best of the first k records. */
static bool put_seed(struct maker *m, int cell, int task)
{
    const struct cell_plan *p = &m->e->plan.cells[cell];
    struct record seed;
    bool found;
    if (!store_best(m->s, m->b->arena, (struct store_part){p->explore_cell, task, p->k}, &seed, &found, m->err))
        return false;
    struct store_task t = {.seed_trial = found ? seed.id : 0, .shared_cell = -1, .state = "done"};
    return store_task_state(m->s, cell, task, &t, m->err);
}

static bool fill_cell(struct maker *m, int cell)
{
    const struct cell_plan *p = &m->e->plan.cells[cell];
    struct arena_mark mark = arena_mark(m->b->arena);
    struct clock at = {0};
    int each = p->explore_cell < 0 ? EXPLORED / p->ntasks : EXPLOITED;
    bool fine = true;
    for (int first = 0; first < each && fine; first += ROUND)
        for (int t = 0; t < p->ntasks && fine; t++)
            fine = put_round(m, cell, t, first, each - first < ROUND ? each - first : ROUND, &at);
    fine = fine && database_run(store_database(m->s), m->err, "BEGIN IMMEDIATE", "");
    for (int t = 0; t < p->ntasks && fine; t++)
        fine = (p->explore_cell < 0 || put_seed(m, cell, t)) && put_launches(m, cell, t);
    fine = database_end(store_database(m->s), fine, m->err) &&
           store_cell_state(m->s, cell, "done", at.elapsed_s, 0, m->err);
    arena_release(m->b->arena, mark);
    return fine;
}

static bool make_store(struct bench_env *b, const char *folder, struct err *err)
{
    struct maker m = {.b = b, .err = err};
    struct experiment_options o = {
        .folder = b->cli->folder, .name = "table3", .tier = "full", .results = folder, .sets = sets, .nsets = 1};
    struct experiment *e;
    const struct task **kernels;
    struct candidate *programs;
    int n;
    if (!experiment_load(b->arena, b->cli->registry, &o, &e, err) || !gauge_kernels(b, &kernels, &n, err) ||
        !gauge_candidates(b, kernels, n, EACH, 1, &programs, err))
        return false;
    m.e = e;
    m.programs = programs;
    m.nprograms = n * EACH;
    rng_seed(&m.rng, 1);
    if (!open_store(&m))
        return false;
    bool fine = true;
    for (int c = 0; c < e->plan.ncells && fine; c++)
        fine = put_cell(&m, c);
    for (int c = 0; c < e->plan.ncells && fine; c++)
        fine = fill_cell(&m, c);
    store_close(m.s);
    return fine;
}

/* ---- the report ---- */

static bool run_report(struct bench_env *b, const char *folder, double *seconds, double *mib, struct err *err)
{
    struct arena *a = b->arena;
    char *const argv[] = {arena_str(a, "raingauge"),
                          arena_str(a, "report"),
                          arena_str(a, "table3"),
                          arena_str(a, "--tier"),
                          arena_str(a, "full"),
                          arena_str(a, "--set"),
                          arena_str(a, sets[0]),
                          arena_str(a, "--results"),
                          arena_str(a, folder),
                          arena_str(a, "--json"),
                          arena_str(a, "--experiments"),
                          arena_str(a, b->cli->folder),
                          NULL};
    posix_spawn_file_actions_t quiet;
    struct rusage used;
    pid_t pid;
    int status = 0;
    double began = clock_now();
    posix_spawn_file_actions_init(&quiet);
    posix_spawn_file_actions_addopen(&quiet, 1, "/dev/null", O_WRONLY, 0);
    int failed = posix_spawn(&pid, "/proc/self/exe", &quiet, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&quiet);
    if (failed)
        return err_set(err, "cannot start a report: errno %d", failed);
    while (wait4(pid, &status, 0, &used) < 0 && errno == EINTR)
        ;
    *seconds = clock_now() - began;
    *mib = (double)used.ru_maxrss / 1024;
    return (WIFEXITED(status) && WEXITSTATUS(status) == 0) || err_set(err, "the report failed");
}

/* Both numbers come from the same processes; the store is made once. */
static bool take(struct bench_env *b, struct err *err)
{
    const char *folder;
    if (b->report_s)
        return true;
    if (!gauge_folder(b, &folder, err))
        return false;
    struct reading *s = ARENA_NEW(b->arena, struct reading), *mib = ARENA_NEW(b->arena, struct reading);
    bool fine = make_store(b, folder, err);
    for (int i = 0; i < READINGS && fine; i++) {
        double seconds = 0, peak = 0;
        fine = run_report(b, folder, &seconds, &peak, err);
        reading_add(s, seconds);
        reading_add(mib, peak);
    }
    gauge_folder_remove(b, folder);
    s->about = mib->about = "report table3 --json over a made store of 200,000 records, a process of its own";
    b->report_s = s;
    b->report_mib = mib;
    return fine;
}

bool bench_report_time(struct bench_env *b, struct reading *out, struct err *err)
{
    if (!take(b, err))
        return false;
    *out = *b->report_s;
    return true;
}

bool bench_report_memory(struct bench_env *b, struct reading *out, struct err *err)
{
    if (!take(b, err))
        return false;
    *out = *b->report_mib;
    return true;
}
