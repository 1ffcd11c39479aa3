/* SPDX-License-Identifier: Apache-2.0 */
/* bench_report: what a report of 200,000 records costs. The store is made, not searched: Table 3 at tier full on target
 * fake, with Ansor's trials, descents from every k, and five launches of each best program. The report is another
 * process, so that its memory is its own. */
#include "harness/base/clock.h"
#include "harness/cli/bench/made_store.h"
#include "harness/record/database.h"
#include "harness/tune/duel_list.h"

#include <errno.h>
#include <sys/resource.h>
#include <sys/wait.h>

enum { EXPLORED = 9000, EXPLOITED = 3, ROUND = 64, READINGS = 5, EACH = 4 };

struct maker {
    struct made_store made;
    const struct candidate *programs; /* any will do: their steps are stored and never replayed */
    int nprograms;
    struct err *err;
};

/* ---- the store ---- */

static const char *const sets[] = {"target=fake"};

/* Duels of the best programs, each launched DUEL_LEAST times: any times will do. */
static bool put_launches(struct maker *m)
{
    struct store *s = m->made.s;
    const struct duel_list_rules rules = {.top = 1, .null_share = 0.1};
    struct duel_list l;
    if (!duel_list_read(s, m->made.b->arena, &l, m->err) || !duel_list_make(&l, s, &rules, m->err))
        return false;
    for (int d = 0; d < l.n; d++)
        for (int i = 0; i < DUEL_LEAST; i++) {
            struct duel_launch_key key = {.duel = d, .launch = i, .regime = "last"};
            struct duel_process by_place[DUEL_PROGRAMS];
            for (int p = 0; p < l.at[d].programs; p++)
                by_place[p] = (struct duel_process){
                    "[]", {.nseconds = 1, .seconds = {1e-3 * (1 + 0.01 * ((d + 3 * i + 7 * p) % 11))}}};
            if (!duel_launch_put(s, &key, by_place, l.at[d].programs, m->err))
                return false;
        }
    return true;
}

/* Descents start from the best of the first k records. */
static bool put_seed(struct maker *m, int cell, int task)
{
    const struct cell_plan *p = &m->made.e->plan.cells[cell];
    struct record seed;
    bool found;
    if (!store_best(m->made.s, m->made.b->arena, (struct store_part){p->explore_cell, task, p->k}, &seed, &found,
                    m->err))
        return false;
    struct store_task t = {.seed_trial = found ? seed.id : 0, .shared_cell = -1, .state = "done"};
    return store_task_state(m->made.s, cell, task, &t, m->err);
}

static bool fill_cell(struct maker *m, int cell)
{
    const struct cell_plan *p = &m->made.e->plan.cells[cell];
    struct arena_mark mark = arena_mark(m->made.b->arena);
    struct made_clock at = {0};
    int each = p->explore_cell < 0 ? EXPLORED / p->ntasks : EXPLOITED;
    bool fine = true;
    for (int first = 0; first < each && fine; first += ROUND)
        for (int t = 0; t < p->ntasks && fine; t++)
            fine = made_store_round(&m->made,
                                    &(struct made_round){.cell = cell,
                                                         .task = t,
                                                         .first = first,
                                                         .n = each - first < ROUND ? each - first : ROUND,
                                                         .programs = m->programs,
                                                         .nprograms = m->nprograms},
                                    &at, NULL, m->err);
    fine = fine && database_run(store_database(m->made.s), m->err, "BEGIN IMMEDIATE", "");
    for (int t = 0; t < p->ntasks && fine; t++)
        fine = p->explore_cell < 0 || put_seed(m, cell, t);
    fine = database_end(store_database(m->made.s), fine, m->err) &&
           store_cell_state(m->made.s, cell, "done", at.elapsed_s, 0, m->err);
    arena_release(m->made.b->arena, mark);
    return fine;
}

static bool make_store(struct bench_env *b, const char *folder, struct err *err)
{
    struct maker m = {.err = err};
    struct experiment_options o = {
        .folder = b->cli->folder, .name = "table3", .tier = "full", .results = folder, .sets = sets, .nsets = 1};
    const struct task **kernels;
    struct candidate *programs;
    int n;
    if (!gauge_kernels(b, &kernels, &n, err))
        return false;
    struct gauge_draws draws = {
        .kernels = kernels, .nkernels = n, .each = EACH, .seed = 1, .limits = limits_cpu(b->cores)};
    if (!gauge_candidates(b, &draws, &programs, err))
        return false;
    m.programs = programs;
    m.nprograms = n * EACH;
    bool fine = made_store_open(&m.made, b, &o, err);
    for (int c = 0; fine && c < m.made.e->plan.ncells; c++)
        fine = fill_cell(&m, c);
    fine = fine && put_launches(&m);
    made_store_close(&m.made);
    return fine;
}

/* ---- the report ---- */

static bool run_report(struct bench_env *b, const char *folder, double *seconds, double *mib, struct err *err)
{
    const char *const words[] = {"report", "table3", "--tier", "full", "--set", sets[0], "--results", folder, "--json"};
    struct rusage used;
    pid_t pid;
    int status = 0;
    double began = clock_now();
    if (!gauge_spawn(b, words, sizeof words / sizeof *words, true, &pid, err))
        return false;
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
