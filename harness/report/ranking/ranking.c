/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/report/ranking/ranking.h"

#include "harness/base/hash.h"
#include "harness/program/lower/bound.h"
#include "harness/report/ranking/top_k.h"
#include "harness/stats/summary.h"
#include "harness/stats/t_test.h"

#include <math.h>
#include <string.h>

const char *const ranking_splits[] = {"programs", "kernels", NULL};
const int ranking_tops[RANKING_TOPS] = {1, 5};
enum { CHUNK = 64 };

struct kernel { /* of the recording */
    const struct task *task;
    int *rows; /* numbers of its rows */
    int n;
    double weight;
};
struct division { /* of one seed, of one kernel's rows */
    int *order;
    int learned;
};
struct ranker {
    struct arena *a;
    const struct recording *r;
    const struct ranking_options *o;
    struct kernel *kernels;
    int n; /* kernels that have rows */
    struct phases phases;
    /* [(model * kernels + kernel) * seeds + seed] and for all kernels behind them */
    double *top[RANKING_TOPS], *spearman, *chance[RANKING_TOPS];
    int *programs, *learned; /* by kernel, of the last seed */
    void (*progress)(void *ctx, int done, int of);
    void *ctx;
    int done;
};

static int place(const struct ranker *k, int model, int kernel, int seed)
{
    return (model * (k->n + 1) + kernel) * k->o->seeds + seed;
}

static bool open_ranker(struct ranker *k, struct err *err)
{
    const struct recording_head *h = &k->r->head;
    k->kernels = ARENA_ARRAY(k->a, struct kernel, h->ntasks + 1);
    for (int t = 0; t < h->ntasks; t++) {
        struct kernel *one = &k->kernels[k->n];
        struct task *task;
        if (!task_parse(k->a, h->tasks[t].spec, &task, err))
            return false;
        *one = (struct kernel){.task = task, .rows = ARENA_ARRAY(k->a, int, k->r->n + 1), .weight = h->tasks[t].weight};
        for (int i = 0; i < k->r->n; i++)
            if (k->r->rows[i].task == t)
                one->rows[one->n++] = i;
        k->n += one->n > 0;
    }
    int cells = k->o->nmodels * (k->n + 1) * k->o->seeds;
    for (int i = 0; i < RANKING_TOPS; i++) {
        k->top[i] = ARENA_ARRAY(k->a, double, cells + 1);
        k->chance[i] = ARENA_ARRAY(k->a, double, k->n * k->o->seeds + 1);
    }
    k->spearman = ARENA_ARRAY(k->a, double, cells + 1);
    k->programs = ARENA_ARRAY(k->a, int, k->n + 1);
    k->learned = ARENA_ARRAY(k->a, int, k->n + 1);
    return k->n >= (k->o->split == RANKING_KERNELS ? 2 : 1) ||
           err_set(err, "the recording has %d kernels: a kernel cannot be held out", k->n);
}

/* Splits --------------------------------------------------------------------------------------------------------- */

static struct division *divide(const struct ranker *k, struct arena *a, int seed)
{
    struct division *d = ARENA_ARRAY(a, struct division, k->n);
    for (int i = 0; i < k->n; i++) {
        struct rng r;
        const struct kernel *one = &k->kernels[i];
        d[i].order = ARENA_DUP(a, one->rows, int, one->n);
        d[i].learned = (int)(k->o->share * one->n + 0.5);
        rng_seed(&r, hash_mix(one->task->hash, (uint64_t)seed));
        rng_shuffle(&r, d[i].order, one->n);
    }
    return d;
}

/* One model, open ------------------------------------------------------------------------------------------------ */

struct open_model {
    struct model_env env;
    struct model_use use;
};

static bool open_model(struct ranker *k, struct arena *a, const struct ranked_model *m, int seed,
                       struct open_model *out, struct err *err)
{
    void *options;
    if (!setting_options(a, m->plug->settings, m->plug->options_size, m->settings, &options, err))
        return false;
    out->env = (struct model_env){.options = options,
                                  .limits = k->r->head.limits,
                                  .analyzer = k->o->analyzer,
                                  .pool = k->o->pool,
                                  .phases = &k->phases,
                                  .warmup = -1};
    rng_seed(&out->env.rng, hash_mix((uint64_t)seed, hash_str("ranking")));
    out->use = (struct model_use){.plug = m->plug, .self = arena_alloc(a, m->plug->state_size + 1)};
    return m->plug->open(out->use.self, &out->env, err);
}

static bool state_of(struct arena *a, const struct task *t, const struct recorded *row, struct state **out,
                     struct err *err)
{
    return (state_replay(a, t, row->steps, row->nsteps, out, err) && bound_infer(*out, err)) ||
           err_context(err, "line %d of the recording", row->line);
}

static bool teach(struct ranker *k, const struct open_model *m, const struct kernel *of, const int *rows, int n,
                  struct err *err)
{
    struct arena *a = arena_open("teach");
    struct candidate *c = ARENA_ARRAY(a, struct candidate, n + 1);
    struct sample *s = ARENA_ARRAY(a, struct sample, n + 1);
    for (int i = 0; i < n; i++) {
        const struct recorded *row = &k->r->rows[rows[i]];
        c[i] = (struct candidate){.task = of->task, .steps = row->steps, .nsteps = row->nsteps, .score = NAN};
        recorded_sample(row, &s[i]);
    }
    bool fine = n == 0 || m->use.plug->tell(m->use.self, c, s, n, err);
    arena_close(a);
    return fine;
}

/* Ranks n rows of a kernel. */
static bool rank_rows(struct ranker *k, const struct open_model *m, const struct kernel *of, const int *rows, int n,
                      double *scores, struct err *err)
{
    struct arena *a = arena_open("rank");
    struct state *states[CHUNK];
    bool fine = true;
    for (int at = 0; at < n && fine; at += CHUNK) {
        int size = n - at < CHUNK ? n - at : CHUNK;
        arena_reset(a);
        for (int i = 0; i < size && fine; i++)
            fine = state_of(a, of->task, &k->r->rows[rows[at + i]], &states[i], err);
        fine = fine && m->use.plug->score(m->use.self, of->task, states, size, scores + at, err);
    }
    arena_close(a);
    return fine;
}

/* Numbers of one seed -------------------------------------------------------------------------------------------- */

struct turn { /* one seed of one model */
    const struct division *division;
    int model, seed;
    double best[RANKING_TOPS], chosen[RANKING_TOPS], spearman; /* sums over kernels */
    int ordered;                                               /* kernels that have a Spearman */
};
struct held_rows { /* what is ranked of a kernel */
    const int *rows;
    double *scores;
    int kernel, n;
};

static void note(struct ranker *k, struct arena *a, struct turn *turn, const struct held_rows *of)
{
    double *seconds = ARENA_ARRAY(a, double, of->n + 1), weight = k->kernels[of->kernel].weight;
    int at = place(k, turn->model, of->kernel, turn->seed);
    for (int i = 0; i < of->n; i++)
        seconds[i] = recorded_mean(&k->r->rows[of->rows[i]]);
    for (int t = 0; t < RANKING_TOPS; t++) {
        double best, chosen;
        ranking_chosen(seconds, of->scores, of->n, ranking_tops[t], &best, &chosen);
        k->top[t][at] = best / chosen;
        turn->best[t] += weight * best;
        turn->chosen[t] += weight * chosen;
        k->chance[t][of->kernel * k->o->seeds + turn->seed] = ranking_chance(seconds, of->n, ranking_tops[t]);
    }
    k->spearman[at] = ranking_spearman(seconds, of->scores, of->n);
    turn->spearman += isnan(k->spearman[at]) ? 0 : k->spearman[at];
    turn->ordered += !isnan(k->spearman[at]);
}

/* What of a kernel is ranked: all of it, or what was not learned from. */
static bool rank_kernel(struct ranker *k, const struct open_model *m, struct turn *turn, int kernel, struct err *err)
{
    const struct division *d = &turn->division[kernel];
    int from = k->o->split == RANKING_KERNELS ? 0 : d->learned;
    struct held_rows of = {.rows = d->order + from, .kernel = kernel, .n = k->kernels[kernel].n - from};
    if (of.n < 1)
        return err_set(err, "no program of '%s' is left to be ranked", k->kernels[kernel].task->name);
    struct arena *a = arena_open("scores");
    of.scores = ARENA_ARRAY(a, double, of.n);
    bool fine = rank_rows(k, m, &k->kernels[kernel], of.rows, of.n, of.scores, err);
    if (fine)
        note(k, a, turn, &of);
    k->programs[kernel] = of.n;
    arena_close(a);
    return fine;
}

/* Trains one model on all kernels but one (-1: on all), and ranks that one (or each). */
static bool train_and_rank(struct ranker *k, struct turn *turn, int without, struct err *err)
{
    const struct ranked_model *model = &k->o->models[turn->model];
    const struct division *d = turn->division;
    struct arena *a = arena_open("model");
    struct open_model m = {0};
    int learned = 0;
    k->progress(k->ctx, k->done++, k->o->nmodels * k->o->seeds * (k->o->split == RANKING_KERNELS ? k->n : 1));
    bool open = open_model(k, a, model, turn->seed + 1, &m, err), fine = open;
    for (int i = 0; i < k->n && fine; i++)
        if (i != without) {
            fine = teach(k, &m, &k->kernels[i], d[i].order, d[i].learned, err);
            learned += d[i].learned;
        }
    fine = fine && m.use.plug->fit(m.use.self, err);
    for (int i = 0; i < k->n && fine; i++)
        if (without < 0 || i == without) {
            k->learned[i] = learned;
            fine = rank_kernel(k, &m, turn, i, err);
        }
    if (open)
        m.use.plug->close(m.use.self);
    arena_close(a);
    return fine || err_context(err, "model '%s'", model->plug->name);
}

static bool one_seed(struct ranker *k, int model, int seed, struct err *err)
{
    struct arena *a = arena_open("division");
    struct turn turn = {.division = divide(k, a, seed + 1), .model = model, .seed = seed};
    bool fine = true, held = k->o->split == RANKING_KERNELS;
    for (int i = 0; i < (held ? k->n : 1) && fine; i++)
        fine = train_and_rank(k, &turn, held ? i : -1, err);
    int at = place(k, model, k->n, seed);
    for (int t = 0; t < RANKING_TOPS; t++)
        k->top[t][at] = turn.best[t] / turn.chosen[t];
    k->spearman[at] = turn.ordered ? turn.spearman / turn.ordered : NAN;
    arena_close(a);
    return fine;
}

/* The table ------------------------------------------------------------------------------------------------------ */

/* Of the n seeds that have a number. */
static struct ranking_number over_seeds(struct arena *a, const double *v, int n)
{
    double *known = ARENA_ARRAY(a, double, n + 1);
    int m = 0;
    for (int i = 0; i < n; i++)
        if (!isnan(v[i]))
            known[m++] = v[i];
    double mean = summary_mean(known, m);
    double half = m > 1 ? t_test_quantile(0.95, m - 1) * summary_sd(known, m) / sqrt(m) : NAN;
    return (struct ranking_number){mean, mean - half, mean + half};
}

static void make_rows(const struct ranker *k, struct ranking *out)
{
    int seeds = k->o->seeds;
    const struct ranking_number unknown = {NAN, NAN, NAN};
    out->rows = ARENA_ARRAY(k->a, struct ranking_row, (k->n + 1) * (k->o->nmodels + 1));
    for (int i = 0; i <= k->n; i++) {
        int programs = 0, learned = 0;
        for (int j = 0; j < k->n; j++) {
            programs += i == j || i == k->n ? k->programs[j] : 0;
            learned = i == j || i == k->n ? k->learned[j] : learned;
        }
        struct ranking_row row = {
            .kernel = i < k->n ? k->kernels[i].task->name : "all", .programs = programs, .learned = learned};
        for (int m = 0; m < k->o->nmodels; m++) {
            int at = place(k, m, i, 0);
            row.model = k->o->models[m].plug->name;
            for (int t = 0; t < RANKING_TOPS; t++)
                row.top[t] = over_seeds(k->a, k->top[t] + at, seeds);
            row.spearman = over_seeds(k->a, k->spearman + at, seeds);
            out->rows[out->n++] = row;
        }
        row.model = NULL;
        for (int t = 0; t < RANKING_TOPS; t++)
            row.top[t] =
                i < k->n ? (struct ranking_number){summary_mean(k->chance[t] + i * seeds, seeds), NAN, NAN} : unknown;
        row.spearman = unknown;
        out->rows[out->n++] = row;
    }
}

bool ranking_make(struct arena *a, const struct recording *r, const struct ranking_options *o,
                  void (*progress)(void *ctx, int done, int of), void *ctx, struct ranking *out, struct err *err)
{
    struct ranker k = {.a = a, .r = r, .o = o, .progress = progress, .ctx = ctx};
    *out = (struct ranking){0};
    phases_start(&k.phases);
    if (!open_ranker(&k, err))
        return false;
    for (int m = 0; m < o->nmodels; m++)
        for (int s = 0; s < o->seeds; s++)
            if (!one_seed(&k, m, s, err))
                return false;
    make_rows(&k, out);
    return true;
}
