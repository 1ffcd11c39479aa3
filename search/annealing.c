/* SPDX-License-Identifier: Apache-2.0 */
/* annealing: searcher 'xgb-annealing': AutoTVM's XGBTuner (apache/tvm v0.16 xgboost_tuner.py, model_based_tuner.py,
 * sa_model_optimizer.py) on a seed's lattice, as src/XGBSearch.py of lac-dcc/bennu runs it. After every 64 measured
 * points boosted trees are trained on all of them, and 128 chains of simulated annealing look for the 64 points they
 * think best; those are measured next, and the last 5 % of a plan are random. Until the first 64, points are random: of
 * the authors' 100 trials a kernel, 36 are guided.
 *
 * What tell draws comes from a stream seeded by all told so far, so telling again rebuilds plan and chains.
 * Deviations: features are the knob values (AutoTVM's 'knob'); theirs asked for 'itervar', which their own space cannot
 * answer. Among equal scores the earlier point stays in the plan. With inherit, point 0 is measured first and is the
 * start of one chain. */
#include "harness/base/vec.h"
#include "search/boost.h"
#include "search/lattice.h"

#include <math.h>
#include <string.h>

struct annealing_options {
    struct lattice_options lattice;
    int64_t plan, iterations, chains, patience;
    double random;
};
#define AT(field) offsetof(struct annealing_options, field)
static const struct setting settings[] = {
    LATTICE_SETTINGS(struct annealing_options, lattice),
    {.name = "plan",
     .help = "points between two trainings (plan_size)",
     .type = SETTING_INT,
     .offset = AT(plan),
     .fallback = "64",
     .min = 1,
     .max = 4096},
    {.name = "iterations",
     .help = "steps of a chain at most (n_iter)",
     .type = SETTING_INT,
     .offset = AT(iterations),
     .fallback = "500",
     .min = 0,
     .max = 1000000},
    {.name = "chains",
     .help = "chains side by side (parallel_size)",
     .type = SETTING_INT,
     .offset = AT(chains),
     .fallback = "128",
     .min = 1,
     .max = 65536},
    {.name = "patience",
     .help = "steps without a change of the plan that end the chains (early_stop)",
     .type = SETTING_INT,
     .offset = AT(patience),
     .fallback = "50",
     .min = 1,
     .max = 1000000},
    {.name = "random",
     .help = "share of a plan, its end, that is drawn at random",
     .type = SETTING_REAL,
     .offset = AT(random),
     .fallback = "0.05",
     .min = 0,
     .max = 1},
    {0}};

/* xgboost_cost_model.py, loss 'reg' */
static const struct boost_options trees = {
    .rounds = 8000, .depth = 3, .eta = 0.3, .lambda = 1, .gamma = 1e-4, .child = 1, .patience = 20};

struct annealing {
    struct lattice lattice;
    struct searcher_env *env;
    const struct annealing_options *options;
    VEC(int) points;        /* told, width coordinates each */
    VEC(double) throughput; /* of them */
    double best;
    int trained;
    int *plan, nplan; /* points to measure, best first */
    int *chains;      /* where the chains stand; kept between plans */
    int nchains;
};

static int *at(const struct annealing *s, int *points, int i)
{
    return points + (size_t)i * (size_t)s->lattice.n;
}

static bool annealing_open(void *self, struct searcher_env *env, struct err *err)
{
    struct annealing *s = self;
    *s = (struct annealing){.env = env, .options = env->options};
    return lattice_open(&s->lattice, env, &s->options->lattice, err);
}

/* The next point: of the plan while it lasts, but for its last share; else random. False: none is left. */
static bool next_point(const struct annealing *s, const struct map *picked, int *trial, int *point)
{
    const struct lattice *l = &s->lattice;
    for (; *trial < s->nplan; (*trial)++) {
        uint64_t key = lattice_key(l, at(s, s->plan, *trial));
        if (!map_get(&l->visited, key, NULL) && !map_get(picked, key, NULL))
            break;
    }
    if (*trial >= s->nplan - (int)(s->options->random * (double)s->options->plan))
        return lattice_fresh(l, &s->env->rng, picked, point);
    memcpy(point, at(s, s->plan, *trial), sizeof *point * (size_t)l->n);
    return true;
}

static bool annealing_ask(void *self, struct arena *a, int max, struct candidate *out, int *n, struct err *err)
{
    struct annealing *s = self;
    struct map picked = {0};
    int point[DESCENT_AXES], trial = 0;
    (void)err;
    for (*n = 0; *n < max; (*n)++) {
        if (s->options->lattice.inherit && s->lattice.told + *n == 0)
            lattice_at(&s->lattice, 0, point);
        else if (!next_point(s, &picked, &trial, point))
            break;
        map_put(&picked, lattice_key(&s->lattice, point), 0);
        out[*n] = lattice_candidate(&s->lattice, a, point);
    }
    map_free(&picked);
    return true;
}

/* Annealing ----------------------------------------------------------------------------------------------------- */

/* The best points met, not measured yet: num places, the worst of them first to go. */
struct best {
    double *scores;
    int *points;
    struct map in;
    int n, cap, worst;
};

static double judge(const struct annealing *s, const struct boost *b, const int *point)
{
    double row[DESCENT_AXES];
    lattice_features(&s->lattice, point, row);
    return boost_predict(b, row);
}

static bool keep(const struct annealing *s, struct best *best, double score, const int *point)
{
    bool full = best->n == best->cap;
    uint64_t key = lattice_key(&s->lattice, point);
    if ((full && !(score > best->scores[best->worst])) || map_get(&s->lattice.visited, key, NULL) ||
        !map_put(&best->in, key, 0))
        return false; /* a point that has left the plan scores too little to come back */
    int to = full ? best->worst : best->n++;
    best->scores[to] = score;
    memcpy(at(s, best->points, to), point, sizeof *point * (size_t)s->lattice.n);
    for (int i = best->worst = 0; i < best->n; i++)
        if (best->scores[i] < best->scores[best->worst])
            best->worst = i;
    return true;
}

static void start_chains(struct annealing *s, struct rng *r)
{
    const struct lattice *l = &s->lattice;
    double most = (double)s->options->chains;
    struct map met = {0};
    if (s->chains)
        return;
    s->nchains = (int)(most < l->size ? most : l->size);
    s->chains = ARENA_ARRAY(l->arena, int, s->nchains * l->n + 1);
    for (int i = 0; i < s->nchains; i++) {
        int *p = at(s, s->chains, i);
        do
            lattice_draw(l, r, p);
        while (!map_put(&met, lattice_key(l, p), 0));
    }
    if (s->options->lattice.inherit)
        lattice_at(l, 0, at(s, s->chains, 0));
    map_free(&met);
}

/* One step of every chain. True: the plan changed. */
static bool step(struct annealing *s, const struct boost *b, struct rng *r, double heat, double *scores,
                 struct best *best)
{
    int moved[DESCENT_AXES];
    bool changed = false;
    for (int i = 0; i < s->nchains; i++) {
        int *p = at(s, s->chains, i);
        memcpy(moved, p, sizeof *p * (size_t)s->lattice.n);
        lattice_step(&s->lattice, r, moved);
        double score = judge(s, b, moved), gain = (score - scores[i]) / (heat + 1e-5);
        changed |= keep(s, best, score, moved);
        if (rng_unit(r) < exp(gain < 1 ? gain : 1)) {
            memcpy(p, moved, sizeof *p * (size_t)s->lattice.n);
            scores[i] = score;
        }
    }
    return changed;
}

static void anneal(struct annealing *s, const struct boost *b, struct rng *r, struct best *best)
{
    const struct annealing_options *o = s->options;
    double heat = 1, cool = 1.0 / ((double)o->iterations + 1);
    start_chains(s, r);
    double *scores = ARENA_ARRAY(s->lattice.arena, double, s->nchains + 1);
    for (int i = 0; i < s->nchains; i++) {
        scores[i] = judge(s, b, at(s, s->chains, i));
        keep(s, best, scores[i], at(s, s->chains, i));
    }
    for (int64_t k = 0, last = 0; k < o->iterations && k < last + o->patience; k++, heat -= cool)
        if (step(s, b, r, heat, scores, best))
            last = k;
}

/* Best first; points thought worse than nothing are left out. */
static void make_plan(struct annealing *s, struct best *best)
{
    s->plan = ARENA_ARRAY(s->lattice.arena, int, best->n * s->lattice.n + 1);
    for (s->nplan = 0; s->nplan < best->n; s->nplan++) {
        int top = 0;
        for (int i = 1; i < best->n; i++)
            if (best->scores[i] > best->scores[top])
                top = i;
        if (!(best->scores[top] >= 0))
            break;
        memcpy(at(s, s->plan, s->nplan), at(s, best->points, top), sizeof(int) * (size_t)s->lattice.n);
        best->scores[top] = -INFINITY;
    }
}

static void train(struct annealing *s, struct boost *b, struct arena *a)
{
    int n = s->throughput.n, width = s->lattice.n;
    struct boost_options o = trees;
    double *rows = ARENA_ARRAY(a, double, n *width + 1), *labels = ARENA_ARRAY(a, double, n + 1);
    for (int i = 0; i < n; i++) {
        lattice_features(&s->lattice, at(s, s->points.at, i), rows + (size_t)i * (size_t)width);
        labels[i] = s->throughput.at[i] / s->best;
    }
    o.top = (int)s->options->plan;
    boost_fit(b, a, &o, rows, labels, n, width);
}

static void replan(struct annealing *s)
{
    struct arena *a = arena_open("annealing");
    struct boost b;
    struct rng r;
    struct best best = {.cap = (int)s->options->plan};
    enum phase before = phases_enter(s->env->phases, PHASE_train);
    train(s, &b, a);
    phases_enter(s->env->phases, PHASE_score);
    best.scores = ARENA_ARRAY(a, double, best.cap);
    best.points = ARENA_ARRAY(a, int, best.cap * s->lattice.n + 1);
    rng_seed(&r, s->lattice.history);
    anneal(s, &b, &r, &best);
    make_plan(s, &best);
    s->trained++;
    map_free(&best.in);
    arena_close(a);
    phases_enter(s->env->phases, before);
}

static bool annealing_tell(void *self, const struct candidate *c, const struct sample *s, int n, struct err *err)
{
    struct annealing *t = self;
    (void)err;
    double *throughput = ARENA_ARRAY(t->lattice.arena, double, n + 1);
    const int *points = lattice_tell(&t->lattice, c, s, n, throughput);
    for (int i = 0; i < n; i++) {
        vec_push(&t->throughput, throughput[i]);
        t->best = fmax(t->best, throughput[i]);
    }
    for (int i = 0; i < n * t->lattice.n; i++)
        vec_push(&t->points, points[i]);
    if (t->throughput.n >= t->options->plan * (t->trained + 1) && t->best > 1e-6 && t->lattice.n > 0)
        replan(t);
    return true;
}

static void annealing_close(void *self)
{
    struct annealing *s = self;
    vec_free(&s->points);
    vec_free(&s->throughput);
    lattice_close(&s->lattice);
}

const struct searcher searcher_annealing = {
    .name = "xgb-annealing",
    .summary = "AutoTVM's boosted trees and simulated annealing over a seed's split lengths (rival of droplet)",
    .settings = settings,
    .options_size = sizeof(struct annealing_options),
    .state_size = sizeof(struct annealing),
    .needs_seed = true,
    .open = annealing_open,
    .ask = annealing_ask,
    .tell = annealing_tell,
    .close = annealing_close,
};
