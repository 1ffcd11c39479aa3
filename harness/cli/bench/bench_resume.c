/* SPDX-License-Identifier: Apache-2.0 */
/* bench_resume: what a resume costs that has much to read. The store holds one cell of Ansor with 34,000 trials, as it
 * is when a campaign was killed before its last round. Another process goes on with it, and the number is the time from
 * its start to the first new trial on record: the file is checked, every record is told to the searcher and the model
 * again, the model is trained, the next round is searched. Then that process is stopped, so later readings begin inside
 * a round. */
#include "harness/base/clock.h"
#include "harness/base/file.h"
#include "harness/cli/bench/made_store.h"
#include "harness/record/database.h"
#include "harness/tune/cell.h"

#include <errno.h>
#include <signal.h>
#include <sys/wait.h>

enum { RECORDED = 34000, ROUND = 64, READINGS = 3, PATIENCE_S = 1800 };
#define POLL_S 0.005
/* What is recorded ends with a whole round; four more rounds may follow. */
static const char *const sets[] = {"target=fake", "networks=resnet18", "duels.max_launches=0", "ansor.trials=34304"};
enum { SETS = sizeof sets / sizeof *sets };

static bool put_round(struct made_store *m, struct scheduler *s, struct made_clock *at, struct err *err)
{
    const struct cell_plan *p = &m->e->plan.cells[0];
    struct arena_mark mark = arena_mark(m->b->arena);
    struct candidate *programs;
    int64_t max;
    double best;
    struct made_round r = {.task = scheduler_next(s, &max), .in_order = true};
    if (r.task < 0)
        return err_set(err, "the budget of the cell was spent too early");
    r.n = (int)max;
    r.first = s->tasks[r.task].trials;
    struct gauge_draws draws = {.kernels = &p->tasks[r.task].task,
                                .nkernels = 1,
                                .each = r.n,
                                .seed = (uint64_t)at->round,
                                .limits = limits_cpu(m->b->cores)};
    if (!gauge_candidates(m->b, &draws, &programs, err))
        return false;
    r.programs = programs;
    bool fine = made_store_round(m, &r, at, &best, err);
    scheduler_tell(s, r.task, r.n, best);
    arena_release(m->b->arena, mark);
    return fine;
}

static bool make_store(struct bench_env *b, const char *folder, struct err *err)
{
    struct made_store m;
    struct experiment_options o = {
        .folder = b->cli->folder, .name = "table3", .tier = "full", .results = folder, .sets = sets, .nsets = SETS};
    struct scheduler s;
    struct made_clock at = {0};
    struct arena *rounds = arena_open("scheduler"); /* it grows while the bench's arena is released after each round */
    bool fine = cli_need_experiments(b->cli, err) && made_store_open(&m, b, &o, err) &&
                cell_scheduler(rounds, &m.e->plan.cells[0], &s, err);
    while (fine && at.ordinal < RECORDED)
        fine = put_round(&m, &s, &at, err);
    fine = fine && store_cell_state(m.s, 0, "running", at.elapsed_s, 0, err);
    made_store_close(&m);
    arena_close(rounds);
    return fine;
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
static bool wait_for_trial(struct database *d, pid_t pid, int64_t before, struct err *err)
{
    double until = clock_now() + PATIENCE_S;
    for (int64_t now = before; now <= before;) {
        clock_sleep(POLL_S);
        if (waitpid(pid, NULL, WNOHANG) != 0)
            return err_set(err, "the resumed campaign ended without a trial");
        if (clock_now() > until)
            return err_set(err, "no trial within %d s of the resume", PATIENCE_S);
        if (!last_trial(d, &now, err))
            return false;
    }
    return true;
}

static bool resume(struct bench_env *b, struct database *d, const char *folder, double *seconds, struct err *err)
{
    const char *const words[] = {"run",   "table3", "--tier", "full",  "--set",   sets[0],    "--set",     sets[1],
                                 "--set", sets[2],  "--set",  sets[3], "--quiet", "--resume", "--results", folder};
    int64_t before;
    pid_t pid;
    if (!last_trial(d, &before, err))
        return false;
    double began = clock_now();
    if (!gauge_spawn(b, words, sizeof words / sizeof *words, false, &pid, err))
        return false;
    bool fine = wait_for_trial(d, pid, before, err);
    *seconds = clock_now() - began;
    kill(pid, SIGINT);
    while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
        ;
    return fine;
}

bool bench_resume(struct bench_env *b, struct reading *out, struct err *err)
{
    struct database *d = NULL;
    const char *folder;
    if (!gauge_folder(b, &folder, err))
        return false;
    bool fine = make_store(b, folder, err) && database_open_read(file_join(b->arena, folder, "records.db"), &d, err);
    for (int i = 0; i < READINGS && fine; i++) {
        double seconds = 0;
        fine = resume(b, d, folder, &seconds, err);
        reading_add(out, seconds);
    }
    database_close(d);
    gauge_folder_remove(b, folder);
    out->about = "run --resume of a made cell (ansor and xgb on resnet18), process start to first new trial";
    return fine;
}
