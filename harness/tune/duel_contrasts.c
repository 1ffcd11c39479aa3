/* SPDX-License-Identifier: Apache-2.0 */
/* duel_contrasts: one term for each kernel that both sides have a program of. */
#include "harness/tune/duel_contrasts.h"

#include "harness/base/text.h"
#include "harness/base/vec.h"

#include <math.h>

struct block {
    int contrast;
    const char *network;
    int64_t seed;
};
struct maker {
    struct arena *a;
    const struct duel_list *l;
    bool by_calls;
    enum duel_split split;
    VEC(struct duel_contrast) contrasts;
    VEC(struct block) blocks;
    VEC(struct duel_term) terms;
};

static bool same_word(const char *a, const char *b)
{
    return a == b || (a && b && str_eq(a, b));
}

static int contrast_of(struct maker *m, const char *arm, const char *over, const char *network)
{
    const char *split = m->split == DUEL_BY_NETWORK ? network : NULL;
    for (int i = 0; i < m->contrasts.n; i++)
        if (same_word(m->contrasts.at[i].arm, arm) && same_word(m->contrasts.at[i].over, over) &&
            same_word(m->contrasts.at[i].network, split))
            return i;
    vec_push(&m->contrasts, (struct duel_contrast){arm, over, split});
    return m->contrasts.n - 1;
}

static int block_of(struct maker *m, int contrast, const char *network, int64_t seed)
{
    for (int i = 0; i < m->blocks.n; i++)
        if (m->blocks.at[i].contrast == contrast && m->blocks.at[i].seed == seed &&
            str_eq(m->blocks.at[i].network, network))
            return i;
    vec_push(&m->blocks, (struct block){contrast, network, seed});
    return m->blocks.n - 1;
}

/* ---- terms ---- */

/* A duel that has both programs, if there is one. */
static bool direct(const struct duel_list *l, const struct store_cell *cell, int task, uint64_t over, uint64_t under,
                   struct duel_leg *out)
{
    for (int i = 0; (i = duel_list_next(l, cell, task, i)) < l->n; i++) {
        const struct duel_record *d = &l->at[i];
        *out = (struct duel_leg){i, -1, -1};
        for (int k = 0; k < d->ntrials; k++) {
            out->over = d->trials[k].hash == over ? d->trials[k].place : out->over;
            out->under = d->trials[k].hash == under ? d->trials[k].place : out->under;
        }
        if (out->over >= 0 && out->under >= 0)
            return true;
    }
    return false;
}

void duel_term_find(const struct duel_list *l, const struct store_cell *cell, int task, uint64_t over, uint64_t under,
                    struct duel_term *out)
{
    out->nlegs = over == under ? 0 : 1;
    if (over == under || direct(l, cell, task, over, under, &out->legs[0]))
        return;
    out->nlegs = 2;
    out->legs[0] = duel_list_find(l, cell, task, over);
    out->legs[1] = duel_list_find(l, cell, task, under);
    out->legs[0].under = out->legs[1].over = 0; /* both through the program that all duels of the kernel have */
}

static double seconds_of(const struct duel_list *l, const struct store_cell *cell, int task,
                         const struct duel_choice *c)
{
    struct duel_leg at = duel_list_find(l, cell, task, c->kept_hash);
    double s = at.duel < 0 ? NAN : duel_seconds(&l->data[at.duel], at.over);
    return isfinite(s) ? s : c->kept_s;
}

/* The kernels that `under` keeps (or its seeds) against those that `over` keeps, of one network and seed. */
static void add_terms(struct maker *m, const char *arm, const struct duel_cell *over, const struct duel_cell *under,
                      bool seeds)
{
    if (!over->choices || !under->choices)
        return;
    int contrast = contrast_of(m, arm, over->cell->arm, under->cell->network);
    int block = block_of(m, contrast, under->cell->network, under->cell->seed);
    for (int t = 0; t < under->cell->ntasks && t < over->cell->ntasks; t++) {
        const struct duel_choice *o = &over->choices[t], *u = &under->choices[t];
        int64_t trial = seeds ? u->seed : u->kept;
        struct duel_term term = {.contrast = contrast, .block = block};
        if (!o->kept && !trial)
            continue;
        if (o->kept && trial) {
            duel_term_find(m->l, under->cell, t, o->kept_hash, seeds ? u->seed_hash : u->kept_hash, &term);
        } else {
            term.nlegs = 1;
            term.legs[0].duel = -1;
        }
        term.seconds = (m->by_calls ? o->weight : 1) * seconds_of(m->l, over->cell, t, o->kept ? o : u);
        vec_push(&m->terms, term);
    }
}

static void add_cells(struct maker *m, const struct duel_cell *over, const struct duel_cell *under)
{
    add_terms(m, under->cell->arm, over, under, false);
}

/* The explorer stopped after its first k records of each kernel. */
static void add_seeds(struct maker *m, const struct duel_cell *explorer, const struct duel_cell *exploiter)
{
    long long k = (long long)exploiter->cell->k;
    if (k > 0)
        add_terms(m, arena_printf(m->a, "%s, first %lld", explorer->cell->arm, k), explorer, exploiter, true);
}

/* ---- contrasts ---- */

/* The first cell of the group of cell i that exploits (or that does not), at the same k. */
static const struct duel_cell *first_of(const struct duel_list *l, int i, bool exploits)
{
    for (int k = 0; k < i; k++)
        if (duel_list_same_block(l->cells[k].cell, l->cells[i].cell) &&
            (l->cells[k].cell->explore_cell >= 0) == exploits && l->cells[k].cell->k == l->cells[i].cell->k)
            return &l->cells[k];
    return NULL;
}

static void add_arms(struct maker *m)
{
    for (int i = 0; i < m->l->ncells; i++) {
        const struct duel_cell *c = &m->l->cells[i];
        int explorer = c->cell->explore_cell;
        const struct duel_cell *first = first_of(m->l, i, explorer >= 0);
        if (explorer >= 0 && explorer < m->l->ncells)
            add_cells(m, &m->l->cells[explorer], c);
        if (explorer >= 0 && explorer < m->l->ncells && !first)
            add_seeds(m, &m->l->cells[explorer], c);
        if (explorer >= 0 && first)
            add_cells(m, c, first);
        else if (first)
            add_cells(m, first, c);
    }
}

static void add_nulls(struct maker *m)
{
    for (int i = 0; i < m->l->n; i++) {
        const struct duel_record *d = &m->l->at[i];
        if (!d->is_null)
            continue;
        int contrast = contrast_of(m, NULL, NULL, NULL);
        struct duel_term term = {.contrast = contrast, .nlegs = 1, .legs = {{i, 0, 1}}};
        double s = duel_seconds(&m->l->data[i], 0), calls = 1;
        for (int k = 0; k < m->l->ncells && m->by_calls; k++)
            if (str_eq(m->l->cells[k].cell->network, d->network) && d->task < m->l->cells[k].cell->ntasks)
                calls = m->l->cells[k].cell->tasks[d->task].weight;
        term.block = block_of(m, contrast, d->network, d->seed);
        term.seconds = calls * (isfinite(s) ? s : 1e-3); /* before its first launch any weight will do */
        vec_push(&m->terms, term);
    }
}

void duel_contrasts_make(struct arena *a, const struct duel_list *l, bool by_calls, enum duel_split split,
                         struct duel_contrasts *out)
{
    struct maker m = {.a = a, .l = l, .by_calls = by_calls, .split = split};
    add_arms(&m);
    add_nulls(&m);
    out->at = ARENA_DUP(a, m.contrasts.at, struct duel_contrast, m.contrasts.n);
    out->set = (struct duel_set){.duels = l->data,
                                 .nduels = l->n,
                                 .terms = ARENA_DUP(a, m.terms.at, struct duel_term, m.terms.n),
                                 .nterms = m.terms.n,
                                 .ncontrasts = m.contrasts.n,
                                 .nblocks = m.blocks.n};
    vec_free(&m.contrasts);
    vec_free(&m.blocks);
    vec_free(&m.terms);
}
