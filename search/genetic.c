/* SPDX-License-Identifier: Apache-2.0 */
/* genetic: searcher 'genetic': AutoTVM's GATuner (apache/tvm v0.16 ga_tuner.py) on a seed's lattice, as
 * src/GASearch.py of lac-dcc/bennu runs it: 100 genes, 3 elites, one-point crossover of parents drawn by throughput,
 * each coordinate mutated with probability 0.1. With the authors' 100 trials a kernel the first generation is the whole
 * search: nothing is ever bred. `population` is a setting so that this can be seen.
 *
 * A generation is a function of what was told: the first is drawn at open, the next ones when the scores of one are
 * complete, from a stream seeded by all told so far. Deviation: a lattice is worked off to its last point only when it
 * has no more than 1e6 points, since theirs is enumerated by index. */
#include "search/lattice.h"

#include <string.h>

struct genetic_options {
    struct lattice_options lattice;
    int64_t population, elites;
    double mutation;
};
static const struct setting settings[] = {LATTICE_SETTINGS(struct genetic_options, lattice),
                                          {.name = "population",
                                           .help = "genes of a generation (pop_size)",
                                           .type = SETTING_INT,
                                           .offset = offsetof(struct genetic_options, population),
                                           .fallback = "100",
                                           .min = 2,
                                           .max = 10000},
                                          {.name = "elites",
                                           .help = "best genes that stay parents (elite_num)",
                                           .type = SETTING_INT,
                                           .offset = offsetof(struct genetic_options, elites),
                                           .fallback = "3",
                                           .min = 0,
                                           .max = 10000},
                                          {.name = "mutation",
                                           .help = "chance that a coordinate is drawn anew (mutation_prob)",
                                           .type = SETTING_REAL,
                                           .offset = offsetof(struct genetic_options, mutation),
                                           .fallback = "0.1",
                                           .min = 0,
                                           .max = 1},
                                          {0}};

struct genetic {
    struct lattice lattice;
    const struct genetic_options *options;
    int *genes, *elites; /* points */
    double *scores, *elite_scores;
    struct map known; /* visited of GATuner: also what is waiting to be measured */
    int ngenes, nelites, nscores;
    bool ended;
};

static int *gene(const struct genetic *g, int *of, int i)
{
    return of + (size_t)i * (size_t)g->lattice.n;
}

/* A first generation of distinct genes; with an inherited seed, that one first. */
static void genetic_found(struct genetic *g, struct rng *r)
{
    struct lattice *l = &g->lattice;
    int most = (int)g->options->population;
    g->genes = ARENA_ARRAY(l->arena, int, most * l->n + 1);
    g->scores = ARENA_ARRAY(l->arena, double, most);
    for (g->ngenes = 0; g->ngenes < most; g->ngenes++) {
        int *p = gene(g, g->genes, g->ngenes);
        if (g->ngenes == 0 && g->options->lattice.inherit)
            lattice_at(l, 0, p);
        else if (!lattice_fresh(l, r, &g->known, p))
            break;
        map_put(&g->known, lattice_key(l, p), 0);
    }
}

static bool genetic_open(void *self, struct searcher_env *env, struct err *err)
{
    struct genetic *g = self;
    *g = (struct genetic){.options = env->options};
    if (!lattice_open(&g->lattice, env, &g->options->lattice, err))
        return false;
    g->elites = ARENA_ARRAY(g->lattice.arena, int, (int)g->options->elites * g->lattice.n + 1);
    g->elite_scores = ARENA_ARRAY(g->lattice.arena, double, g->options->elites + 1);
    genetic_found(g, &env->rng);
    return true;
}

static bool genetic_ask(void *self, struct arena *a, int max, struct candidate *out, int *n, struct err *err)
{
    struct genetic *g = self;
    (void)err;
    for (*n = 0; *n < max && !g->ended && g->nscores + *n < g->ngenes; (*n)++)
        out[*n] = lattice_candidate(&g->lattice, a, gene(g, g->genes, g->nscores + *n));
    return true;
}

/* Breeding ------------------------------------------------------------------------------------------------------ */

struct parents {
    int *genes;
    double *scores; /* made positive and relative */
    int n;
};

/* The elites of a generation and of the elites before it, best first, earlier first among equals. */
static void keep_elites(struct genetic *g, const struct parents *p)
{
    struct arena_mark mark = arena_mark(g->lattice.arena);
    bool *taken = ARENA_ARRAY(g->lattice.arena, bool, p->n + 1);
    g->nelites = (int)g->options->elites < p->n ? (int)g->options->elites : p->n;
    for (int e = 0; e < g->nelites; e++) {
        int best = -1;
        for (int i = 0; i < p->n; i++)
            if (!taken[i] && (best < 0 || p->scores[i] > p->scores[best]))
                best = i;
        taken[best] = true;
        memcpy(gene(g, g->elites, e), gene(g, p->genes, best), sizeof(int) * (size_t)g->lattice.n);
        g->elite_scores[e] = p->scores[best];
    }
    arena_release(g->lattice.arena, mark);
}

/* A parent by throughput, but not number `other`. */
static int choose(const struct parents *p, struct rng *r, int other)
{
    double sum = 0;
    for (int i = 0; i < p->n; i++)
        sum += i == other ? 0 : p->scores[i];
    double at = rng_unit(r) * sum;
    int last = 0;
    for (int i = 0; i < p->n; i++) {
        if (i == other)
            continue;
        last = i;
        at -= p->scores[i];
        if (at < 0)
            break;
    }
    return last;
}

static void cross(struct genetic *g, const struct parents *p, struct rng *r, int *child)
{
    const struct lattice *l = &g->lattice;
    int first = choose(p, r, -1), second = choose(p, r, first), point = (int)rng_below(r, (uint64_t)l->n);
    memcpy(child, gene(g, p->genes, first), sizeof *child * (size_t)point);
    memcpy(child + point, gene(g, p->genes, second) + point, sizeof *child * (size_t)(l->n - point));
    for (int i = 0; i < l->n; i++)
        if (rng_unit(r) < g->options->mutation)
            child[i] = (int)rng_below(r, (uint64_t)l->knobs[i].n);
}

/* Copies of the generation and its elites as parents, before either is overwritten. */
static struct parents gather(struct genetic *g)
{
    struct arena *a = g->lattice.arena;
    int width = g->lattice.n;
    struct parents p = {.n = g->ngenes + g->nelites};
    p.genes = ARENA_ARRAY(a, int, p.n *width + 1);
    p.scores = ARENA_ARRAY(a, double, p.n + 1);
    memcpy(p.genes, g->genes, sizeof(int) * (size_t)(g->ngenes * width));
    memcpy(p.genes + g->ngenes * width, g->elites, sizeof(int) * (size_t)(g->nelites * width));
    memcpy(p.scores, g->scores, sizeof(double) * (size_t)g->ngenes);
    memcpy(p.scores + g->ngenes, g->elite_scores, sizeof(double) * (size_t)g->nelites);
    return p;
}

static void breed(struct genetic *g)
{
    struct lattice *l = &g->lattice;
    struct parents p = gather(g);
    struct rng r;
    double most = 0, left = l->size - (double)g->known.n;
    rng_seed(&r, l->history);
    keep_elites(g, &p);
    for (int i = 0; i < p.n; i++)
        most = p.scores[i] + 1e-8 > most ? p.scores[i] + 1e-8 : most;
    for (int i = 0; i < p.n; i++)
        p.scores[i] = (p.scores[i] + 1e-8) / most;
    g->nscores = 0;
    int want = (int)g->options->population;
    for (g->ngenes = 0; g->ngenes < want; g->ngenes++) {
        int *child = gene(g, g->genes, g->ngenes);
        if (left > want)
            cross(g, &p, &r, child);
        else if (!lattice_fresh(l, &r, &g->known, child)) /* no more than a generation is left: all of it */
            break;
        map_put(&g->known, lattice_key(l, child), 0);
    }
}

static bool genetic_tell(void *self, const struct candidate *c, const struct sample *s, int n, struct err *err)
{
    struct genetic *g = self;
    (void)err;
    double *throughput = ARENA_ARRAY(g->lattice.arena, double, n + 1);
    lattice_tell(&g->lattice, c, s, n, throughput);
    for (int i = 0; i < n && g->nscores < g->ngenes; i++)
        g->scores[g->nscores++] = throughput[i];
    if (g->nscores < g->ngenes)
        return true;
    g->ended = (double)g->known.n >= g->lattice.size || g->ngenes < 2;
    if (!g->ended)
        breed(g);
    return true;
}

static void genetic_close(void *self)
{
    struct genetic *g = self;
    map_free(&g->known);
    lattice_close(&g->lattice);
}

const struct searcher searcher_genetic = {
    .name = "genetic",
    .summary = "AutoTVM's genetic algorithm over a seed's split lengths (rival of droplet)",
    .settings = settings,
    .options_size = sizeof(struct genetic_options),
    .state_size = sizeof(struct genetic),
    .needs_seed = true,
    .open = genetic_open,
    .ask = genetic_ask,
    .tell = genetic_tell,
    .close = genetic_close,
};
