/* SPDX-License-Identifier: Apache-2.0 */
/* bench_replay: the same schedules under our code generator and under TVM's. published_times.tsv of the shared data has
 * TVM's run times of the authors' published schedules on a machine like ours (2 threads, number 10, repeat 5, weights
 * re-laid-out beforehand); here the same records are built, verified and timed under that regime, in several passes
 * over all of them so that a disturbance does not meet one kernel only. What TVM could not apply, or timed on another
 * graph, is left out. The times come from another machine: a ratio above 1 is a faster kernel there against here. */
#include "harness/base/file.h"
#include "harness/base/log.h"
#include "harness/cli/bench/gauges.h"
#include "harness/measure/measure.h"
#include "harness/record/tvm/tvm_log.h"
#include "harness/stats/summary.h"

#include <stdlib.h>
#include <string.h>

#define TIMES "data/tvm_oracle/published_times.tsv"
enum { PASSES = 7, THREADS = 2, MOST_ROWS = READINGS_MAX };

struct row {
    const char *network;
    int64_t index;
    double theirs_ms, ours_ms[PASSES];
    struct candidate candidate;
    int n;
};
struct table {
    struct row rows[MOST_ROWS];
    int n;
};

static const char *shared(struct bench_env *b, const char *name)
{
    const char *root = getenv("RAINGAUGE_SHARED");
    return file_join(b->arena, root && *root ? root : "../shared", name);
}

/* network, index, line, kind, mean_ms, ...; a second time of the same record stands beside the first. */
static bool read_row(struct bench_env *b, char *line, struct table *t, struct err *err)
{
    char *save, *field[5];
    for (int i = 0; i < 5; i++)
        if (!(field[i] = strtok_r(i ? NULL : line, "\t", &save)))
            return err_set(err, "a row of fewer than five fields");
    struct row r = {.network = arena_str(b->arena, field[0]), .theirs_ms = strtod(field[4], NULL)};
    if (!str_int(field[1], &r.index))
        return err_set(err, "'%s' is no number of a record", field[1]);
    if (r.theirs_ms > 0 && t->n < MOST_ROWS)
        t->rows[t->n++] = r;
    return true;
}

static bool read_times(struct bench_env *b, struct table *t, struct err *err)
{
    char *text, *save;
    size_t n;
    int number = 1;
    const char *path = shared(b, TIMES);
    if (!file_read(b->arena, path, 0, &text, &n, err))
        return false;
    if (!strtok_r(text, "\n", &save))
        return err_set(err, "%s is empty", path);
    for (char *line; (line = strtok_r(NULL, "\n", &save));) {
        number++;
        if (!read_row(b, line, t, err))
            return err_context(err, "%s:%d", path, number);
    }
    return t->n > 0 || err_set(err, "%s has no times", path);
}

static bool read_records(struct bench_env *b, const char *network, struct table *t, struct err *err)
{
    struct tvm_log log;
    const char *path = shared(b, arena_printf(b->arena, "data/kernels/%s.steps.jsonl", network));
    if (!tvm_log_read(b->arena, path, &log, err))
        return false;
    for (int i = 0; i < t->n; i++) {
        struct row *r = &t->rows[i];
        struct task *task;
        if (strcmp(r->network, network) != 0)
            continue;
        if (r->index < 0 || r->index >= log.n || !log.entries[r->index].spec)
            return err_set(err, "%s has no record %lld that describes its kernel", path, (long long)r->index);
        const struct tvm_log_entry *e = &log.entries[r->index];
        if (!task_parse(b->arena, e->spec, &task, err))
            return err_context(err, "%s:%d", path, e->line);
        r->candidate = (struct candidate){.task = task, .steps = e->steps, .nsteps = e->nsteps};
    }
    return true;
}

static bool time_all(struct measurer *m, struct table *t, struct err *err)
{
    struct phases phases;
    phases_start(&phases);
    for (int pass = 0; pass < PASSES; pass++)
        for (int i = 0; i < t->n; i++) {
            struct row *r = &t->rows[i];
            struct sample s;
            struct measured_batch b = {.candidates = &r->candidate, .n = 1, .samples = &s, .phases = &phases};
            if (!measure_batch(m, &b, err))
                return false;
            if (s.outcome == OUTCOME_OK)
                r->ours_ms[r->n++] = 1e3 * sample_mean(&s);
            else
                log_warn("%s %lld: %s", r->network, (long long)r->index, s.message);
        }
    return true;
}

/* One pair a record: the median of their times, and the fastest of our passes: behind a busy sibling thread of the host
 * a pass takes up to twice as long, for seconds. */
static void make_pairs(struct bench_env *b, const struct table *t, struct reading *out)
{
    for (int i = 0; i < t->n; i++) {
        const struct row *r = &t->rows[i];
        double theirs[MOST_ROWS];
        int n = 0;
        bool first = true;
        for (int k = 0; k < t->n; k++)
            if (strcmp(t->rows[k].network, r->network) == 0 && t->rows[k].index == r->index) {
                first &= k >= i;
                theirs[n++] = t->rows[k].theirs_ms;
            }
        if (first && r->n > 0)
            reading_pair(b, out,
                         (struct pair){.kernel = arena_printf(b->arena, "%s %lld %s", r->network, (long long)r->index,
                                                              r->candidate.task->name),
                                       .ours_ms = summary_of(r->ours_ms, r->n).min,
                                       .theirs_ms = summary_median(theirs, n)});
    }
}

bool bench_replay(struct bench_env *b, struct reading *out, struct err *err)
{
    struct table *t = ARENA_NEW(b->arena, struct table);
    struct measurer *m;
    struct limits limits;
    struct measure_options o = {.target = registry_target(b->cli->registry, "cpu", err),
                                .target_settings = b->target_settings,
                                .threads = b->cores < THREADS ? b->cores : THREADS,
                                .layout = LAYOUT_REWRITTEN,
                                .seed = 1,
                                .faults = ""};
    if (!o.target || !regime_named("tvmc", &o.regime, err) || !read_times(b, t, err))
        return false;
    for (int i = 0; i < t->n; i++)
        if (!t->rows[i].candidate.task && !read_records(b, t->rows[i].network, t, err))
            return false;
    o.regime.repeat = 5;
    if (!measure_open(&o, &m, &limits, err))
        return false;
    bool fine = time_all(m, t, err);
    measure_close(m);
    make_pairs(b, t, out);
    out->about = arena_printf(
        b->arena,
        "published schedules, TVM's time on its machine over ours here, the fastest of %d passes, %d thread%s", PASSES,
        o.threads, o.threads > 1 ? "s" : "");
    return fine;
}
