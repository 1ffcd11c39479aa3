/* SPDX-License-Identifier: Apache-2.0 */
/* training_set: replay applies record lines; what it shows is copied, since it keeps a batch only. A recording tells
 * its kernels and its machine itself. */
#include "harness/cli/training_set.h"

#include "harness/base/file.h"
#include "harness/base/log.h"
#include "harness/cli/replay.h"
#include "harness/experiment/network.h"
#include "harness/plug/recording.h"
#include "harness/program/lower/bound.h"
#include "harness/record/record_lines.h"

#include <math.h>
#include <string.h>

struct reading_file {
    struct training_set *set;
    const char *file;
    struct err *err;
    int refused; /* of this file */
    bool fine;
};

static struct training_task *task_of(struct training_set *s, const struct task *t, struct err *err)
{
    struct task *own;
    for (int i = 0; i < s->tasks.n; i++)
        if (s->tasks.at[i].task->hash == t->hash)
            return &s->tasks.at[i];
    if (!task_parse(s->arena, t->spec, &own, err))
        return NULL;
    vec_push(&s->tasks, (struct training_task){.task = own});
    return &vec_last(&s->tasks);
}

/* The first one's reason is kept, with its place. */
static void refuse(struct reading_file *f, int line, int column, const char *reason)
{
    struct err why = {0};
    f->set->refused++;
    if (f->refused++ > 0)
        return;
    err_set(&why, "%s", reason);
    why.column = column;
    err_in_line(&why, f->file, line);
    log_warn("%s", why.text);
    f->set->reason = f->set->reason ? f->set->reason : arena_str(f->set->arena, why.text);
}

static bool same_device(struct training_set *s, const struct limits *l, struct err *err)
{
    if (s->records == 0)
        s->limits = *l;
    return s->limits.is_gpu == l->is_gpu ||
           err_set(err, "it is of a %s and the records before it are not", l->is_gpu ? "GPU" : "CPU");
}

static bool add(struct reading_file *f, const struct state *state, double seconds)
{
    struct training_set *s = f->set;
    struct training_task *t = task_of(s, state->task, f->err);
    if (!t)
        return false;
    struct step *steps = steps_copy(s->arena, state->steps, state->nsteps);
    vec_push(&t->candidates, (struct candidate){t->task, steps, state->nsteps, state_hash(state), NAN});
    vec_push(&t->samples, (struct sample){.outcome = OUTCOME_OK, .nseconds = 1, .seconds = {seconds}});
    s->records++;
    return true;
}

/* Record lines ---------------------------------------------------------------------------------------------------- */

static bool on_row(void *ctx, const struct replay_row *r)
{
    struct reading_file *f = ctx;
    struct limits cpu = limits_cpu(1);
    if (r->fate != REPLAY_APPLIED) {
        refuse(f, r->line, r->column, r->reason);
    } else if (!isfinite(r->theirs_s) || r->theirs_s <= 0) {
        f->set->untimed++;
    } else {
        f->fine = (same_device(f->set, r->gpu ? &r->limits : &cpu, f->err) || err_in_line(f->err, f->file, r->line)) &&
                  add(f, r->state, r->theirs_s);
    }
    return f->fine;
}

static bool add_lines(struct reading_file *f, struct cli *c, const char *task, struct err *err)
{
    struct replay_options o = {.file = f->file, .task = task, .dry = true, .layout = -1};
    struct replay_sums sums = {0};
    struct err why = {0};
    replay_know_networks(c, &o);
    bool done = replay_run(&o, on_row, f, &sums, &why);
    if (f->fine && !done)
        *err = why;
    return f->fine && done;
}

/* Recordings ------------------------------------------------------------------------------------------------------ */

static bool is_recording(const char *path, bool *yes, struct err *err)
{
    static const char first[] = "{\"recording\":";
    char text[sizeof first] = "";
    FILE *f;
    if (!record_lines_open(path, &f, err))
        return false;
    *yes = fread(text, 1, sizeof first - 1, f) == sizeof first - 1 && str_eq(text, first);
    fclose(f);
    return true;
}

static bool add_recorded(struct reading_file *f, struct task *const *tasks, const struct recording *r, int row,
                         struct arena *scratch)
{
    const struct recorded *at = &r->rows[row];
    struct state *s;
    struct err why = {0};
    arena_reset(scratch);
    if (at->outcome != OUTCOME_OK) {
        f->set->untimed++;
        return true;
    }
    if (!state_replay(scratch, tasks[at->task], at->steps, at->nsteps, &s, &why) || !bound_infer(s, &why)) {
        refuse(f, at->line, 0, why.text);
        return true;
    }
    return add(f, s, recorded_mean(at));
}

static bool add_rows(struct reading_file *f, const struct recording *r)
{
    struct task **tasks = ARENA_ARRAY(f->set->arena, struct task *, r->head.ntasks);
    struct arena *scratch = arena_open("state of a recording");
    bool fine = true;
    for (int i = 0; i < r->head.ntasks && fine; i++)
        fine = task_parse(f->set->arena, r->head.tasks[i].spec, &tasks[i], f->err);
    for (int i = 0; i < r->n && fine; i++)
        fine = add_recorded(f, tasks, r, i, scratch);
    arena_close(scratch);
    return fine;
}

static bool add_recording(struct reading_file *f, const char *task, struct err *err)
{
    struct recording r;
    if (task)
        return err_set(err, "%s: a recording names its kernels: --task is for record lines", f->file);
    if (!recording_read(f->set->arena, f->file, false, &r, err))
        return false;
    return (same_device(f->set, &r.head.limits, err) && add_rows(f, &r)) || err_in_line(err, f->file, 1);
}

bool training_set_add(struct training_set *s, struct cli *c, const char *file, const char *task, struct err *err)
{
    struct reading_file f = {.set = s, .file = file, .err = err, .fine = true};
    bool recording;
    s->arena = c->arena;
    return is_recording(file, &recording, err) &&
           (recording ? add_recording(&f, task, err) : add_lines(&f, c, task, err));
}

/* *there: a network has that name. */
static bool load_network(struct cli *c, const char *name, bool *there, struct network **out, struct err *err)
{
    const char *path = arena_printf(c->arena, "%s/networks/%s.yaml", c->folder, name);
    *there = !strchr(name, '/') && file_exists(path);
    return !*there || network_load(c->arena, c->folder, name, out, err);
}

static bool is_of(const struct network *net, const struct task *t)
{
    for (int i = 0; i < net->nkernels; i++)
        if (net->tasks[i].task->hash == t->hash)
            return true;
    return false;
}

bool training_set_hold(struct training_set *s, struct cli *c, const char *word, struct err *err)
{
    struct network *net = NULL;
    bool there;
    int n = 0;
    if (!load_network(c, word, &there, &net, err))
        return false;
    for (int i = 0; i < s->tasks.n; i++) {
        const struct task *t = s->tasks.at[i].task;
        if (net ? is_of(net, t) : strstr(t->spec, word) || strstr(t->name, word)) {
            s->tasks.at[i].held = true;
            n++;
        }
    }
    if (n > 0)
        return true;
    if (!net)
        return err_set(err, "no network and no kernel of these records is called '%s'", word);
    log_warn("no kernel of network '%s' is in these records", word);
    return true;
}

bool training_set_leaks(const struct training_set *s, struct cli *c, const char *network, const char ***out, int *n,
                        struct err *err)
{
    struct network *net;
    if (!network_load(c->arena, c->folder, network, &net, err))
        return false;
    *out = ARENA_ARRAY(c->arena, const char *, s->tasks.n + 1);
    *n = 0;
    for (int i = 0; i < s->tasks.n; i++)
        if (!s->tasks.at[i].held && is_of(net, s->tasks.at[i].task))
            (*out)[(*n)++] = s->tasks.at[i].task->name;
    return true;
}

void training_set_free(struct training_set *s)
{
    for (int i = 0; i < s->tasks.n; i++) {
        vec_free(&s->tasks.at[i].candidates);
        vec_free(&s->tasks.at[i].samples);
    }
    vec_free(&s->tasks);
}
