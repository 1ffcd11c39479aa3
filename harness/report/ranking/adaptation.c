/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/report/ranking/adaptation.h"

#include "harness/base/hash.h"
#include "harness/report/ranking/top_k.h"
#include "harness/stats/summary.h"

#include <math.h>

enum { ROUND = 10, WAYS = 5 };
static const struct way {
    const char *name, *settings;
    bool moa, loads;
} ways[WAYS] = {
    {"scratch", "update=fresh", false, false},        {"unadapted", "update=never", false, true},
    {"fine-tuned", "update=tune", false, true},       {"moa", "delta=network,every=4", true, true},
    {"moa-text", "delta=change,every=1", true, true},
};

struct adapting {
    struct arena *a;
    const struct adaptation_options *o;
    struct ranked_kernels old, kernels; /* kernels: of the new device that have enough programs */
    int most;                           /* programs told */
    int *learned;                       /* of the old device, by kernel */
    /* [((way * amounts + amount) * (kernels + 1) + kernel) * seeds + seed]; the sums are not divided yet */
    double *best[RANKING_TOPS], *chosen[RANKING_TOPS], *spearman, *chance[RANKING_TOPS];
};
struct pass { /* one kernel in one seed */
    struct arena *a;
    const struct ranked_kernel *of;
    struct lesson told, ranked;
    double *seconds, *scores; /* of those ranked */
    int kernel, seed;
};

static int place(const struct adapting *d, int way, int amount, int kernel, int seed)
{
    return ((way * d->o->nrecords + amount) * (d->kernels.n + 1) + kernel) * d->o->seeds + seed;
}

static bool open_adapting(struct adapting *d, const struct recording *r, struct err *err)
{
    int left = 0;
    d->most = d->o->records[d->o->nrecords - 1];
    if (!ranked_kernels_read(d->a, d->o->learn, &d->old, err) || !ranked_kernels_read(d->a, r, &d->kernels, err))
        return false;
    for (int i = 0; i < d->kernels.n; i++)
        if (d->kernels.at[i].n >= 2 * d->most)
            d->kernels.at[left++] = d->kernels.at[i];
    d->kernels.n = left;
    size_t cells = (size_t)(WAYS * d->o->nrecords * (left + 1) * d->o->seeds) + 1;
    for (int t = 0; t < RANKING_TOPS; t++) {
        d->best[t] = ARENA_ARRAY(d->a, double, cells);
        d->chosen[t] = ARENA_ARRAY(d->a, double, cells);
        d->chance[t] = ARENA_ARRAY(d->a, double, left * d->o->seeds + 1);
        for (size_t i = 0; i < cells; i++)
            d->best[t][i] = d->chosen[t][i] = 0;
    }
    d->learned = ARENA_ARRAY(d->a, int, left + 1);
    d->spearman = ARENA_ARRAY(d->a, double, cells);
    for (size_t i = 0; i < cells; i++)
        d->spearman[i] = 0;
    return left > 0 || err_set(err, "no kernel of the recording has %d programs", 2 * d->most);
}

/* On all kernels of the old device but this one; kept in the file. */
static bool pretrain(struct adapting *d, const struct pass *p, struct err *err)
{
    const struct ranked_model model = {.plug = d->o->pacm, .settings = d->o->pretraining};
    const struct trained_model_about about = {d->o->learn->head.limits, NULL, d->o->pool, p->seed + 1};
    struct lesson *lessons = ARENA_ARRAY(p->a, struct lesson, d->old.n + 1);
    struct trained_model m;
    int n = 0;
    d->learned[p->kernel] = 0;
    for (int i = 0; i < d->old.n; i++)
        if (d->old.at[i].task->hash != p->of->task->hash) {
            lessons[n++] = (struct lesson){d->o->learn, d->old.at[i].task, d->old.at[i].rows, d->old.at[i].n};
            d->learned[p->kernel] += d->old.at[i].n;
        }
    if (!trained_model_open(p->a, &model, &about, &m, err))
        return false;
    bool fine = trained_model_tell(&m, lessons, n, err) && trained_model_fit(&m, err) &&
                m.use.plug->save(m.use.self, d->o->file, err);
    trained_model_close(&m);
    return fine;
}

static void note(struct adapting *d, const struct pass *p, int way, int amount)
{
    int at = place(d, way, amount, p->kernel, p->seed), all = place(d, way, amount, d->kernels.n, p->seed);
    for (int t = 0; t < RANKING_TOPS; t++) {
        double best, chosen;
        ranking_chosen(p->seconds, p->scores, p->ranked.n, ranking_tops[t], &best, &chosen);
        d->best[t][at] = best;
        d->chosen[t][at] = chosen;
        d->best[t][all] += p->of->weight * best;
        d->chosen[t][all] += p->of->weight * chosen;
        d->chance[t][p->kernel * d->o->seeds + p->seed] = ranking_chance(p->seconds, p->ranked.n, ranking_tops[t]);
    }
    d->spearman[at] = ranking_spearman(p->seconds, p->scores, p->ranked.n);
    d->spearman[all] += d->spearman[at] / d->kernels.n;
}

/* Tells the programs from number from on in rounds; all fits that fell due are done then. */
static bool tell_rounds(const struct pass *p, struct trained_model *m, int from, int to, struct err *err)
{
    bool fine = true;
    for (int at = from; at < to && fine; at += ROUND) {
        const struct lesson round = {p->told.r, p->told.task, p->told.rows + at, to - at < ROUND ? to - at : ROUND};
        fine = trained_model_tell(m, &round, 1, err);
    }
    return fine && trained_model_fit(m, err);
}

static bool one_way(struct adapting *d, const struct pass *p, int way, struct err *err)
{
    const struct way *w = &ways[way];
    const char *rest = d->o->settings[0] ? arena_printf(p->a, ",%s", d->o->settings) : "";
    const struct ranked_model model = {.plug = w->moa ? d->o->moa : d->o->pacm,
                                       .settings =
                                           w->loads ? arena_printf(p->a, "%s%s,load=%s", w->settings, rest, d->o->file)
                                                    : arena_printf(p->a, "%s%s", w->settings, rest)};
    const struct trained_model_about about = {p->told.r->head.limits, NULL, d->o->pool, p->seed + 1};
    struct trained_model m;
    bool fine = trained_model_open(p->a, &model, &about, &m, err);
    if (!fine)
        return err_context(err, "%s", w->name);
    for (int i = 0; i < d->o->nrecords && fine; i++) {
        fine = tell_rounds(p, &m, i ? d->o->records[i - 1] : 0, d->o->records[i], err) &&
               trained_model_score(&m, &p->ranked, p->scores, err);
        if (fine)
            note(d, p, way, i);
    }
    trained_model_close(&m);
    return fine || err_context(err, "%s", w->name);
}

static bool one_pass(struct adapting *d, int kernel, int seed, struct err *err)
{
    struct arena *a = arena_open("adaptation");
    struct pass p = {.a = a, .of = &d->kernels.at[kernel], .kernel = kernel, .seed = seed};
    int *order = ARENA_DUP(a, p.of->rows, int, p.of->n), n = p.of->n - d->most;
    struct rng rng;
    rng_seed(&rng, hash_mix(p.of->task->hash, (uint64_t)seed + 1));
    rng_shuffle(&rng, order, p.of->n);
    p.told = (struct lesson){d->kernels.r, p.of->task, order, d->most};
    p.ranked = (struct lesson){d->kernels.r, p.of->task, order + d->most, n};
    p.seconds = ARENA_ARRAY(a, double, n);
    p.scores = ARENA_ARRAY(a, double, n);
    for (int i = 0; i < n; i++)
        p.seconds[i] = recorded_mean(&d->kernels.r->rows[p.ranked.rows[i]]);
    bool fine = pretrain(d, &p, err);
    for (int way = 0; way < WAYS && fine; way++)
        fine = one_way(d, &p, way, err);
    arena_close(a);
    return fine || err_context(err, "'%s'", p.of->task->name);
}

/* The table ------------------------------------------------------------------------------------------------------- */

static void put_row(const struct adapting *d, struct ranking *out, struct ranking_row row, int way, int amount,
                    int kernel)
{
    double v[RANKING_TOPS][1000];
    int at = place(d, way, amount, kernel, 0), seeds = d->o->seeds;
    row.model = ways[way].name;
    for (int t = 0; t < RANKING_TOPS; t++) {
        for (int s = 0; s < seeds; s++)
            v[t][s] = d->best[t][at + s] / d->chosen[t][at + s];
        row.top[t] = ranking_over_seeds(d->a, v[t], seeds);
    }
    row.spearman = ranking_over_seeds(d->a, d->spearman + at, seeds);
    out->rows[out->n++] = row;
}

static void put_chance(const struct adapting *d, struct ranking *out, struct ranking_row row, int kernel)
{
    const struct ranking_number unknown = {NAN, NAN, NAN};
    row.model = NULL;
    for (int t = 0; t < RANKING_TOPS; t++) {
        const double *of = d->chance[t] + kernel * d->o->seeds;
        row.top[t] = kernel < d->kernels.n ? (struct ranking_number){summary_mean(of, d->o->seeds), NAN, NAN} : unknown;
    }
    row.spearman = unknown;
    out->rows[out->n++] = row;
}

static void make_rows(const struct adapting *d, struct ranking *out)
{
    int n = d->kernels.n, programs = 0, learned = 0;
    out->rows = ARENA_ARRAY(d->a, struct ranking_row, (n + 1) * d->o->nrecords * (WAYS + 1));
    for (int k = 0; k <= n; k++)
        for (int i = 0; i < d->o->nrecords; i++) {
            struct ranking_row row = {.kernel = k < n ? d->kernels.at[k].task->name : "all",
                                      .programs = k < n ? d->kernels.at[k].n - d->most : programs,
                                      .learned = k < n ? d->learned[k] : learned / (n ? n : 1),
                                      .adapted = d->o->records[i]};
            programs += k < n && i == 0 ? row.programs : 0;
            learned += k < n && i == 0 ? row.learned : 0;
            for (int way = 0; way < WAYS; way++)
                put_row(d, out, row, way, i, k);
            put_chance(d, out, row, k);
        }
}

bool adaptation_make(struct arena *a, const struct recording *r, const struct adaptation_options *o,
                     void (*progress)(void *ctx, int done, int of), void *ctx, struct ranking *out, struct err *err)
{
    struct adapting d = {.a = a, .o = o};
    *out = (struct ranking){0};
    if (!open_adapting(&d, r, err))
        return false;
    for (int k = 0; k < d.kernels.n; k++)
        for (int s = 0; s < o->seeds; s++) {
            progress(ctx, k * o->seeds + s, d.kernels.n * o->seeds);
            if (!one_pass(&d, k, s, err))
                return false;
        }
    make_rows(&d, out);
    return true;
}
