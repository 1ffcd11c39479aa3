/* SPDX-License-Identifier: Apache-2.0 */
/* bench_replay: the same schedules under our code generator and under TVM's. published_times.tsv of the shared data has
 * TVM's run times of the authors' published schedules on a machine like ours (2 threads, number 10, repeat 5, weights
 * re-laid-out beforehand); here the same records are built, verified and timed under that regime, in several passes
 * over all of them so that a disturbance does not meet one kernel only. What TVM could not apply, or timed on another
 * graph, is left out. The times come from another machine: a ratio above 1 is a faster kernel there against here. */
#include "harness/base/file.h"
#include "harness/base/log.h"
#include "harness/cli/bench/gauges.h"
#include "harness/record/tvm/tvm_log.h"
#include "harness/released/tsv_table.h"
#include "harness/stats/summary.h"

#include <stdlib.h>

enum { PASSES = 7, THREADS = 2, TIMES = 4 };

struct row { /* a record */
    const char *network;
    int index, n, ntheirs;
    double theirs_ms[TIMES], ours_ms[PASSES]; /* a record may have been timed more than once */
    struct candidate candidate;
};
struct rows {
    struct row at[READINGS_MAX];
    int n;
};

static const char *shared(struct bench_env *b, const char *name)
{
    const char *root = getenv("RAINGAUGE_SHARED");
    return file_join(b->arena, root && *root ? root : "../shared", name);
}

static bool add_time(struct rows *r, const char *network, int index, double ms)
{
    int i = 0;
    while (i < r->n && !(r->at[i].index == index && str_eq(r->at[i].network, network)))
        i++;
    if (i == READINGS_MAX || r->at[i].ntheirs == TIMES)
        return false;
    if (i == r->n)
        r->at[r->n++] = (struct row){.network = network, .index = index};
    r->at[i].theirs_ms[r->at[i].ntheirs++] = ms;
    return true;
}

static bool read_times(struct bench_env *b, struct rows *r, struct err *err)
{
    static const char *const needed[] = {"network", "index", "mean_ms", NULL};
    const char *path = shared(b, "data/tvm_oracle/published_times.tsv");
    struct tsv_problems *bad = tsv_problems_open(b->arena);
    struct tsv_table t;
    char *text;
    size_t n;
    if (!file_read(b->arena, path, 0, &text, &n, err))
        return false;
    bool fine = tsv_table_read(bad, path, text, needed, &t);
    for (int i = 0; i < t.n && fine; i++) {
        double index, ms;
        fine = tsv_number(&t, i, "index", 0, false, &index) && tsv_number(&t, i, "mean_ms", -1, true, &ms) &&
               (!(ms > 0) || add_time(r, tsv_text(&t, i, "network"), (int)index, ms));
    }
    if (bad->all.n)
        return err_set(err, "%s:%d: %s", path, bad->all.at[0].line, bad->all.at[0].text);
    return (fine && r->n) || err_set(err, "%s has no times, or too many", path);
}

/* The candidates of a network's rows. */
static bool read_records(struct bench_env *b, const char *network, struct rows *r, struct err *err)
{
    struct tvm_log log;
    const char *path = shared(b, arena_printf(b->arena, "data/kernels/%s.steps.jsonl", network));
    if (!tvm_log_read(b->arena, path, &log, err))
        return false;
    for (int i = 0; i < r->n; i++) {
        struct row *row = &r->at[i];
        struct task *task;
        if (!str_eq(row->network, network))
            continue;
        if (row->index >= log.n || !log.entries[row->index].spec)
            return err_set(err, "%s has no record %d that describes its kernel", path, row->index);
        const struct tvm_log_entry *e = &log.entries[row->index];
        if (!task_parse(b->arena, e->spec, &task, err))
            return err_context(err, "%s:%d", path, e->line);
        row->candidate = (struct candidate){.task = task, .steps = e->steps, .nsteps = e->nsteps};
    }
    return true;
}

static bool time_all(struct measurer *m, struct rows *all, struct err *err)
{
    for (int i = 0; i < PASSES * all->n; i++) {
        struct row *r = &all->at[i % all->n];
        struct sample s;
        struct measured_batch b = {.candidates = &r->candidate, .n = 1, .samples = &s};
        if (!measure_batch(m, &b, err))
            return false;
        if (s.outcome == OUTCOME_OK)
            r->ours_ms[r->n++] = 1e3 * sample_mean(&s);
        else
            log_warn("%s %d: %s", r->network, r->index, s.message);
    }
    return true;
}

bool bench_replay(struct bench_env *b, int which, struct reading *out, struct err *err)
{
    struct rows *all = ARENA_NEW(b->arena, struct rows);
    struct measurer *m;
    struct limits limits;
    struct measure_options o;
    (void)which;
    if (!gauge_measure(b, "cpu", "tvmc", &o, err) || !read_times(b, all, err))
        return false;
    for (int i = 0; i < all->n; i++)
        if (!all->at[i].candidate.task && !read_records(b, all->at[i].network, all, err))
            return false;
    o.threads = b->cores < THREADS ? b->cores : THREADS;
    o.regime.repeat = 5;
    if (!measure_open(&o, &m, &limits, err))
        return false;
    bool fine = time_all(m, all, err);
    measure_close(m);
    /* Of theirs the median, of our passes the fastest: behind a busy sibling thread of the host a pass takes up to
     * twice as long, for seconds. */
    for (int i = 0; i < all->n; i++) {
        const struct row *r = &all->at[i];
        if (r->n > 0)
            reading_pair(b, out, arena_printf(b->arena, "%s %d %s", r->network, r->index, r->candidate.task->name),
                         summary_of(r->ours_ms, r->n).min, summary_median(r->theirs_ms, r->ntheirs));
    }
    out->about = arena_printf(
        b->arena,
        "published schedules, TVM's time on its machine over ours here, the fastest of %d passes, %d thread%s", PASSES,
        o.threads, o.threads > 1 ? "s" : "");
    return fine;
}
