/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/report/ranking/ranking.h"

#include "harness/base/hash.h"
#include "harness/report/ranking/top_k.h"
#include "harness/stats/summary.h"
#include "harness/stats/t_test.h"

#include <math.h>
#include <string.h>

const char *const ranking_splits[] = {"programs", "kernels", "recordings", NULL};
const int ranking_tops[RANKING_TOPS] = {1, 5};

struct division { /* of one seed, of one kernel's rows */
    int *order;
    int learned;
};
struct ranker {
    struct arena *a;
    const struct ranking_options *o;
    struct ranked_kernels kernels, learn; /* learn: of the other recording */
    int n;                                /* of kernels */
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

/* Kernels of the other recording that are ranked are not learned from. */
static bool read_learn(struct ranker *k, struct err *err)
{
    int left = 0;
    if (!ranked_kernels_read(k->a, k->o->learn, &k->learn, err))
        return false;
    for (int i = 0; i < k->learn.n; i++)
        if (ranked_kernels_find(&k->kernels, k->learn.at[i].task) < 0)
            k->learn.at[left++] = k->learn.at[i];
    k->learn.n = left;
    return left > 0 || err_set(err, "the recording to learn from has no kernel that is not ranked");
}

static bool open_ranker(struct ranker *k, const struct recording *r, struct err *err)
{
    if (!ranked_kernels_read(k->a, r, &k->kernels, err))
        return false;
    k->n = k->kernels.n;
    if (k->o->split == RANKING_RECORDINGS && !read_learn(k, err))
        return false;
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
        const struct ranked_kernel *one = &k->kernels.at[i];
        d[i].order = ARENA_DUP(a, one->rows, int, one->n);
        d[i].learned = k->o->split == RANKING_RECORDINGS ? 0 : (int)(k->o->share * one->n + 0.5);
        rng_seed(&r, hash_mix(one->task->hash, (uint64_t)seed));
        rng_shuffle(&r, d[i].order, one->n);
    }
    return d;
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
    double *seconds = ARENA_ARRAY(a, double, of->n + 1), weight = k->kernels.at[of->kernel].weight;
    int at = place(k, turn->model, of->kernel, turn->seed);
    for (int i = 0; i < of->n; i++)
        seconds[i] = recorded_mean(&k->kernels.r->rows[of->rows[i]]);
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
static bool rank_kernel(struct ranker *k, struct trained_model *m, struct turn *turn, int kernel, struct err *err)
{
    const struct division *d = &turn->division[kernel];
    const struct ranked_kernel *own = &k->kernels.at[kernel];
    int from = k->o->split == RANKING_PROGRAMS ? d->learned : 0;
    struct held_rows of = {.rows = d->order + from, .kernel = kernel, .n = own->n - from};
    if (of.n < 1)
        return err_set(err, "no program of '%s' is left to be ranked", own->task->name);
    struct arena *a = arena_open("scores");
    const struct lesson all = {k->kernels.r, own->task, of.rows, of.n};
    of.scores = ARENA_ARRAY(a, double, of.n);
    bool fine = trained_model_score(m, &all, of.scores, err);
    if (fine)
        note(k, a, turn, &of);
    k->programs[kernel] = of.n;
    arena_close(a);
    return fine;
}

/* Of all kernels but one (-1: of all), or of the other recording. *learned: programs. */
static bool teach(struct ranker *k, struct arena *a, struct trained_model *m, const struct division *d, int without,
                  int *learned, struct err *err)
{
    const struct ranked_kernels *from = k->learn.n ? &k->learn : &k->kernels;
    struct lesson *lessons = ARENA_ARRAY(a, struct lesson, from->n);
    int n = 0;
    *learned = 0;
    for (int i = 0; i < from->n; i++) {
        const struct ranked_kernel *one = &from->at[i];
        if (i == without)
            continue;
        lessons[n] = k->learn.n ? (struct lesson){from->r, one->task, one->rows, one->n}
                                : (struct lesson){from->r, one->task, d[i].order, d[i].learned};
        *learned += lessons[n++].n;
    }
    return trained_model_tell(m, lessons, n, err) && trained_model_fit(m, err);
}

/* Trains one model on all kernels but one (-1: on all), and ranks that one (or each). */
static bool train_and_rank(struct ranker *k, struct turn *turn, int without, struct err *err)
{
    const struct ranked_model *model = &k->o->models[turn->model];
    struct arena *a = arena_open("model");
    const struct trained_model_about about = {k->kernels.r->head.limits, k->o->analyzer, k->o->pool, turn->seed + 1};
    struct trained_model m;
    int learned = 0;
    k->progress(k->ctx, k->done++, k->o->nmodels * k->o->seeds * (k->o->split == RANKING_KERNELS ? k->n : 1));
    bool open = trained_model_open(a, model, &about, &m, err);
    bool fine = open && teach(k, a, &m, turn->division, without, &learned, err);
    for (int i = 0; i < k->n && fine; i++)
        if (without < 0 || i == without) {
            k->learned[i] = learned;
            fine = rank_kernel(k, &m, turn, i, err);
        }
    if (open)
        trained_model_close(&m);
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

struct ranking_number ranking_over_seeds(struct arena *a, const double *v, int n)
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
        struct ranking_row row = {.kernel = i < k->n ? k->kernels.at[i].task->name : "all",
                                  .programs = programs,
                                  .learned = learned,
                                  .adapted = -1};
        for (int m = 0; m < k->o->nmodels; m++) {
            int at = place(k, m, i, 0);
            row.model = k->o->models[m].name ? k->o->models[m].name : k->o->models[m].plug->name;
            for (int t = 0; t < RANKING_TOPS; t++)
                row.top[t] = ranking_over_seeds(k->a, k->top[t] + at, seeds);
            row.spearman = ranking_over_seeds(k->a, k->spearman + at, seeds);
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
    struct ranker k = {.a = a, .o = o, .progress = progress, .ctx = ctx};
    *out = (struct ranking){0};
    if (!open_ranker(&k, r, err))
        return false;
    for (int m = 0; m < o->nmodels; m++)
        for (int s = 0; s < o->seeds; s++)
            if (!one_seed(&k, m, s, err))
                return false;
    make_rows(&k, out);
    return true;
}
