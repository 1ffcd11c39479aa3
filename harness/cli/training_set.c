/* SPDX-License-Identifier: Apache-2.0 */
/* training_set: replay applies the records; what it shows is copied, since it keeps a batch only. */
#include "harness/cli/training_set.h"

#include "harness/base/file.h"
#include "harness/base/log.h"
#include "harness/cli/replay.h"
#include "harness/experiment/network.h"

#include <math.h>
#include <string.h>

struct reading_file {
    struct training_set *set;
    struct err *err;
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

static bool add_row(struct reading_file *f, const struct replay_row *r)
{
    struct training_set *s = f->set;
    const struct state *state = r->state;
    if (s->records == 0)
        s->limits = r->gpu ? r->limits : limits_cpu(1);
    if (s->limits.is_gpu != r->gpu)
        return err_set(f->err, "record %d is of a %s and those before it are not", r->index, r->gpu ? "GPU" : "CPU");
    struct training_task *t = task_of(s, state->task, f->err);
    if (!t)
        return false;
    struct step *steps = steps_copy(s->arena, state->steps, state->nsteps);
    vec_push(&t->candidates, (struct candidate){t->task, steps, state->nsteps, state_hash(state), NAN});
    vec_push(&t->samples, (struct sample){.outcome = OUTCOME_OK, .nseconds = 1, .seconds = {r->theirs_s}});
    s->records++;
    return true;
}

static bool on_row(void *ctx, const struct replay_row *r)
{
    struct reading_file *f = ctx;
    if (r->fate != REPLAY_APPLIED) {
        f->set->reason = f->set->reason ? f->set->reason : arena_str(f->set->arena, r->reason);
        f->set->refused++;
    } else if (!isfinite(r->theirs_s) || r->theirs_s <= 0) {
        f->set->untimed++;
    } else {
        f->fine = add_row(f, r);
    }
    return f->fine;
}

bool training_set_add(struct training_set *s, struct cli *c, const char *file, const char *task, struct err *err)
{
    struct reading_file f = {.set = s, .err = err, .fine = true};
    struct replay_options o = {.file = file, .task = task, .dry = true, .layout = -1};
    struct replay_sums sums = {0};
    struct err why = {0};
    s->arena = c->arena;
    replay_know_networks(c, &o);
    bool done = replay_run(&o, on_row, &f, &sums, &why);
    if (!f.fine)
        return err_context(err, "'%s'", file);
    if (!done)
        *err = why;
    return done;
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
