/* SPDX-License-Identifier: Apache-2.0 */
/* duel_blocks: a block is a list of duels of its own, with the choices of its cells only. */
#include "harness/tune/duel_blocks.h"

#include "harness/base/hash.h"
#include "harness/base/text.h"
#include "harness/tune/duel_contrasts.h"

#include <math.h>

enum block_part { PART_ARMS, PART_NULLS, PARTS };
struct duel_block {
    int cell;          /* the first of it */
    int *duels[PARTS]; /* in the whole list */
    int n[PARTS];
    double widest[PARTS]; /* by what is asked of a mean; NAN: not looked at */
    double share[PARTS];  /* what is asked of the block, by what is asked of a mean */
    bool over[PARTS];
};

/* Is the duel one that a term of this cell may need: of a kernel of it, or of the one that a kernel is taken from? */
static bool is_needed(const struct duel_list *l, const struct store_cell *cell, int duel)
{
    for (int t = 0; t < cell->ntasks; t++)
        if (duel_list_is_of(l, &l->at[duel], cell, t))
            return true;
    return false;
}

static void fill(struct duel_blocks *b, struct duel_block *of)
{
    const struct duel_list *l = b->l;
    const struct store_cell *cell = l->cells[of->cell].cell;
    for (int p = 0; p < PARTS; p++) {
        of->duels[p] = ARENA_ARRAY(b->a, int, l->n + 1);
        of->widest[p] = NAN;
    }
    for (int i = 0; i < l->n; i++) {
        const struct duel_record *d = &l->at[i];
        bool own = d->seed == cell->seed && str_eq(d->network, cell->network);
        enum block_part p = d->is_null ? PART_NULLS : PART_ARMS;
        if (d->is_null ? own : own || is_needed(l, cell, i))
            of->duels[p][of->n[p]++] = i;
    }
}

void duel_blocks_open(struct arena *a, struct duel_list *l, const struct duel_rules *rules, uint64_t seed,
                      struct duel_blocks *out)
{
    *out = (struct duel_blocks){a, l, rules, seed, ARENA_ARRAY(a, struct duel_block, l->ncells + 1), 0};
    for (int i = 0; i < l->ncells; i++) {
        bool seen = false;
        for (int k = 0; k < out->n && !seen; k++)
            seen = duel_list_same_block(l->cells[out->at[k].cell].cell, l->cells[i].cell);
        if (!seen)
            out->at[out->n++] = (struct duel_block){.cell = i};
    }
    for (int i = 0; i < out->n; i++) {
        out->at[i].share[PART_ARMS] = sqrt(out->n);
        out->at[i].share[PART_NULLS] = sqrt(l->nulls < out->n ? l->nulls : out->n);
        fill(out, &out->at[i]);
    }
}

/* duel_next of a part of a block. */
static int next_of(struct duel_blocks *b, const struct duel_block *of, enum block_part p, double *widest)
{
    const struct store_cell *cell = b->l->cells[of->cell].cell;
    struct arena *a = arena_open("contrasts");
    int n = of->n[p], *had = ARENA_ARRAY(a, int, n + 1);
    struct duel_record *at = ARENA_ARRAY(a, struct duel_record, n + 1);
    struct duel *data = ARENA_ARRAY(a, struct duel, n + 1);
    struct duel_cell *cells = ARENA_ARRAY(a, struct duel_cell, b->l->ncells + 1);
    struct duel_contrasts c;
    struct duel_rules rules = *b->rules;
    for (int i = 0; i < n; i++) {
        at[i] = b->l->at[of->duels[p][i]];
        data[i] = b->l->data[of->duels[p][i]];
        bool own = at[i].seed == cell->seed && str_eq(at[i].network, cell->network);
        had[i] = own ? b->l->had[of->duels[p][i]] : (int)rules.max_launches; /* those of other blocks are theirs */
    }
    for (int i = 0; i < b->l->ncells; i++) {
        cells[i] = b->l->cells[i];
        cells[i].choices = p == PART_ARMS && duel_list_same_block(cells[i].cell, cell) ? cells[i].choices : NULL;
    }
    struct duel_list part = {.a = a, .at = at, .data = data, .n = n, .cells = cells, .ncells = b->l->ncells};
    rules.half_width *= of->share[p];
    duel_contrasts_make(a, &part, false, DUEL_ALL, &c);
    uint64_t seed = hash_mix(hash_mix(b->seed, hash_str(cell->network)), (uint64_t)cell->seed);
    int next = duel_next(a, &c.set, &rules, had, seed, widest);
    arena_close(a);
    *widest /= of->share[p];
    return next < 0 ? -1 : of->duels[p][next];
}

int duel_blocks_next(struct duel_blocks *b, double *widest)
{
    int next = duel_least(b->l->n, b->rules, b->l->had, b->seed);
    *widest = INFINITY;
    if (next >= 0)
        return next;
    *widest = 0;
    for (int i = 0; i < PARTS * b->n; i++) {
        struct duel_block *of = &b->at[i / PARTS];
        enum block_part p = i % PARTS;
        if (!of->over[p] && next < 0) {
            next = next_of(b, of, p, &of->widest[p]);
            of->over[p] = next < 0;
        }
        *widest = fmax(*widest, of->widest[p]);
    }
    return next;
}
