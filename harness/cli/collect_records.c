/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/cli/collect_records.h"

#include "harness/base/hash.h"
#include "harness/base/log.h"
#include "harness/base/map.h"
#include "harness/base/vec.h"
#include "harness/cli/replay.h"
#include "harness/plug/recording_write.h"
#include "harness/program/lower/bound.h"
#include "harness/record/tvm/record_task.h"

#include <string.h>

struct gathered { /* one program */
    struct tvm_log_entry e;
    int task;
};
struct gathering {
    const struct collect_records_options *o;
    struct collect_records_sums *sums;
    struct arena *a, *scratch;
    struct record_task *identity;
    struct map programs; /* task and state */
    VEC(struct gathered) all;
    VEC(struct recording_task) tasks;
    VEC(const struct task *) parsed;
};

/* The number of a kernel; new ones are added. -1: it is no task line. */
static int number_of(struct gathering *g, const char *spec, struct err *err)
{
    struct task *t;
    if (!task_parse(g->a, spec, &t, err))
        return -1;
    for (int i = 0; i < g->tasks.n; i++)
        if (str_eq(g->tasks.at[i].spec, t->spec))
            return i;
    vec_push(&g->tasks, (struct recording_task){.spec = t->spec, .weight = 1});
    vec_push(&g->parsed, t);
    return g->tasks.n - 1;
}

/* Its kernel and its state; false: it tells none, or its steps do not apply. */
static bool find_program(struct gathering *g, const struct tvm_log_entry *e, int *task, uint64_t *hash, struct err *err)
{
    struct found_task found;
    struct state *s;
    if (!record_task_find(g->identity, e, &found, err))
        return false;
    if (!found.certain)
        return err_set(err, "which kernel? its workload key tells only shapes");
    *task = number_of(g, found.specs[0], err);
    arena_reset(g->scratch);
    if (*task < 0 || !state_replay(g->scratch, g->parsed.at[*task], e->steps, e->nsteps, &s, err) ||
        !bound_infer(s, err))
        return false;
    *hash = hash_mix(state_hash(s), (uint64_t)*task);
    return true;
}

static void gather(struct gathering *g, const struct tvm_log_entry *e, const char *file)
{
    struct err err = {0};
    uint64_t hash = 0;
    int task = 0;
    g->sums->records++;
    if (g->o->architecture && (!strstr(e->target, "-arch=") || !strstr(e->target, g->o->architecture))) {
        g->sums->other++;
    } else if (!e->measured || !find_program(g, e, &task, &hash, &err)) {
        g->sums->refused++;
        log_warn("%s:%d: %s", file, e->line, err.text[0] ? err.text : "it holds no result");
    } else if (!map_put(&g->programs, hash, 0)) {
        g->sums->repeated++;
    } else {
        vec_push(&g->all, (struct gathered){*e, task});
    }
}

static bool gather_file(struct gathering *g, const char *file, struct err *err)
{
    struct tvm_log_file *f;
    struct tvm_log_entry e;
    enum tvm_log_line kind;
    struct err why = {0};
    if (!tvm_log_open(file, &f, err))
        return false;
    while ((kind = tvm_log_next(f, g->a, &e, &why)) == TVM_LOG_RECORD || kind == TVM_LOG_REFUSED) {
        if (kind == TVM_LOG_RECORD) {
            gather(g, &e, file);
        } else {
            g->sums->records++;
            g->sums->refused++;
            err_in_line(&why, file, e.line);
            log_warn("%s", why.text);
        }
        why = (struct err){0};
    }
    tvm_log_close(f);
    return kind == TVM_LOG_END || err_set(err, "%s: %s", file, why.text);
}

static bool write_all(const struct gathering *g, struct err *err)
{
    struct recording_writer *w;
    const struct recording_head head = {.machine = g->o->machine,
                                        .target = g->all.at[0].e.target,
                                        .source = "records of TVM's auto_scheduler",
                                        .revision = g->o->revision,
                                        .limits = replay_hardware(&g->all.at[0].e),
                                        .tasks = g->tasks.at,
                                        .ntasks = g->tasks.n};
    if (!recording_create(g->o->output, &head, 0, &w, err))
        return false;
    bool fine = true;
    for (int i = 0; i < g->all.n && fine; i++) {
        struct sample s;
        tvm_log_sample(&g->all.at[i].e, &s);
        g->sums->rows++;
        g->sums->ok += s.outcome == OUTCOME_OK;
        fine = recording_put(w, g->all.at[i].task, g->all.at[i].e.steps, g->all.at[i].e.nsteps, &s, err);
    }
    fine = fine && recording_finish(w, err);
    recording_close(w);
    return fine;
}

bool collect_records(const struct collect_records_options *o, struct collect_records_sums *sums, struct err *err)
{
    struct gathering g = {.o = o, .sums = sums, .a = arena_open("records"), .scratch = arena_open("state")};
    bool fine = true;
    *sums = (struct collect_records_sums){0};
    g.identity = record_task_open(NULL, 0, NULL);
    for (int i = 0; i < o->nfiles && fine; i++)
        fine = gather_file(&g, o->files[i], err);
    sums->kernels = g.tasks.n;
    if (fine && g.all.n == 0)
        fine = err_set(err, "none of %d records is of '%s'", sums->records, o->machine);
    fine = fine && write_all(&g, err);
    record_task_close(g.identity);
    map_free(&g.programs);
    vec_free(&g.all);
    vec_free(&g.tasks);
    vec_free(&g.parsed);
    arena_close(g.scratch);
    arena_close(g.a);
    return fine;
}
