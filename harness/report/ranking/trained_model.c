/* SPDX-License-Identifier: Apache-2.0 */
/* trained_model: lessons are told in one go, since some models make a fit due for each tell and do only every fourth of
 * them (model moa). */
#include "harness/report/ranking/trained_model.h"

#include "harness/base/hash.h"
#include "harness/program/lower/bound.h"

#include <math.h>

enum { CHUNK = 64 };

bool ranked_kernels_read(struct arena *a, const struct recording *r, struct ranked_kernels *out, struct err *err)
{
    const struct recording_head *h = &r->head;
    *out = (struct ranked_kernels){.r = r, .at = ARENA_ARRAY(a, struct ranked_kernel, h->ntasks + 1)};
    for (int t = 0; t < h->ntasks; t++) {
        struct ranked_kernel *one = &out->at[out->n];
        struct task *task;
        if (!task_parse(a, h->tasks[t].spec, &task, err))
            return false;
        *one =
            (struct ranked_kernel){.task = task, .rows = ARENA_ARRAY(a, int, r->n + 1), .weight = h->tasks[t].weight};
        for (int i = 0; i < r->n; i++)
            if (r->rows[i].task == t)
                one->rows[one->n++] = i;
        out->n += one->n > 0;
    }
    return true;
}

int ranked_kernels_find(const struct ranked_kernels *k, const struct task *t)
{
    for (int i = 0; i < k->n; i++)
        if (k->at[i].task->hash == t->hash)
            return i;
    return -1;
}

bool trained_model_open(struct arena *a, const struct ranked_model *m, const struct trained_model_about *about,
                        struct trained_model *out, struct err *err)
{
    void *options;
    *out = (struct trained_model){0};
    if (!setting_options(a, m->plug->settings, m->plug->options_size, m->settings, &options, err))
        return false;
    phases_start(&out->phases);
    out->env = (struct model_env){.options = options,
                                  .limits = about->limits,
                                  .analyzer = about->analyzer,
                                  .pool = about->pool,
                                  .phases = &out->phases,
                                  .warmup = -1};
    rng_seed(&out->env.rng, hash_mix((uint64_t)about->seed, hash_str("ranking")));
    out->use = (struct model_use){.plug = m->plug, .self = arena_alloc(a, m->plug->state_size + 1)};
    return m->plug->open(out->use.self, &out->env, err);
}

bool trained_model_tell(struct trained_model *m, const struct lesson *lessons, int n, struct err *err)
{
    struct arena *a = arena_open("lessons");
    int all = 0, at = 0;
    for (int i = 0; i < n; i++)
        all += lessons[i].n;
    struct candidate *c = ARENA_ARRAY(a, struct candidate, all + 1);
    struct sample *s = ARENA_ARRAY(a, struct sample, all + 1);
    for (int i = 0; i < n; i++)
        for (int k = 0; k < lessons[i].n; k++, at++) {
            const struct recorded *row = &lessons[i].r->rows[lessons[i].rows[k]];
            c[at] =
                (struct candidate){.task = lessons[i].task, .steps = row->steps, .nsteps = row->nsteps, .score = NAN};
            recorded_sample(row, &s[at]);
        }
    bool fine = all == 0 || m->use.plug->tell(m->use.self, c, s, all, err);
    arena_close(a);
    return fine;
}

bool trained_model_fit(struct trained_model *m, struct err *err)
{
    return m->use.plug->fit(m->use.self, err);
}

static bool state_of(struct arena *a, const struct task *t, const struct recorded *row, struct state **out,
                     struct err *err)
{
    return (state_replay(a, t, row->steps, row->nsteps, out, err) && bound_infer(*out, err)) ||
           err_context(err, "line %d of the recording", row->line);
}

bool trained_model_score(struct trained_model *m, const struct lesson *of, double *scores, struct err *err)
{
    struct arena *a = arena_open("rank");
    struct state *states[CHUNK];
    bool fine = true;
    for (int at = 0; at < of->n && fine; at += CHUNK) {
        int size = of->n - at < CHUNK ? of->n - at : CHUNK;
        arena_reset(a);
        for (int i = 0; i < size && fine; i++)
            fine = state_of(a, of->task, &of->r->rows[of->rows[at + i]], &states[i], err);
        fine = fine && m->use.plug->score(m->use.self, of->task, states, size, scores + at, err);
    }
    arena_close(a);
    return fine;
}

void trained_model_close(struct trained_model *m)
{
    m->use.plug->close(m->use.self);
}
