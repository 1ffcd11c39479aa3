/* SPDX-License-Identifier: Apache-2.0 */
/* block_state: how many rows a whole block has, then what each block is. */
#include "harness/released/droplet/block_state.h"

#include "harness/base/text.h"
#include "harness/released/droplet/paper_networks.h"

#include <math.h>

static bool same_table(const struct release_block *a, const struct release_block *b)
{
    return a->table == b->table && str_eq(a->machine, b->machine);
}

/* Rows of a whole block: the network's kernels, or for MetaSchedule, whose tasks differ by machine, the most frequent
 * number among the network's blocks. */
static int whole_rows(const struct release *r, const struct release_block *b)
{
    int place = paper_network_place(b->network), best = 0, best_count = 0;
    if (b->table == TABLE_MICRO || b->table == TABLE_OTHER)
        return 1;
    if (b->table != TABLE_META && place >= 0)
        return paper_networks[place].kernels;
    for (int i = 0; i < r->blocks.n; i++) {
        const struct release_block *x = &r->blocks.at[i];
        int count = 0;
        if (!same_table(x, b) || !str_eq(x->network, b->network) || x->state == BLOCK_MISLABELLED)
            continue;
        for (int k = 0; k < r->blocks.n; k++)
            count += same_table(&r->blocks.at[k], b) && str_eq(r->blocks.at[k].network, b->network) &&
                     r->blocks.at[k].rows.n == x->rows.n;
        if (count > best_count || (count == best_count && x->rows.n > best)) {
            best = x->rows.n;
            best_count = count;
        }
    }
    return best;
}

/* The 10,000-trial search is one log a network: a block with another network's BASE_TIMEs holds that network. */
static bool same_base(const struct release_block *a, const struct release_block *b)
{
    if (a->rows.n != b->rows.n || a->rows.n < 2)
        return false;
    for (int i = 0; i < a->rows.n; i++)
        if (a->rows.at[i].v[BASE_TIME] != b->rows.at[i].v[BASE_TIME])
            return false;
    return true;
}

static void find_mislabelled(struct release *r, struct release_block *b)
{
    for (int i = 0; i < r->blocks.n && b->state == BLOCK_WHOLE; i++) {
        const struct release_block *x = &r->blocks.at[i];
        if (x == b || !same_table(x, b) || str_eq(x->network, b->network) || x->rows.n != x->kernels ||
            !same_base(x, b))
            continue;
        b->state = BLOCK_MISLABELLED;
        b->note = arena_printf(r->arena, "holds the kernels of %s", x->network);
    }
}

static void find_partial(struct release *r, struct release_block *b)
{
    if (b->state != BLOCK_WHOLE || b->rows.n == b->kernels)
        return;
    if (b->table <= TABLE_META)
        find_mislabelled(r, b);
    if (b->state == BLOCK_WHOLE && b->rows.n < b->kernels) {
        b->state = BLOCK_PARTIAL;
        b->note = arena_printf(r->arena, "%d of %d kernels", b->rows.n, b->kernels);
    } else if (b->state == BLOCK_WHOLE) {
        b->state = BLOCK_MISLABELLED;
        b->note = arena_printf(r->arena, "%d rows, the network has %d kernels", b->rows.n, b->kernels);
    }
}

/* Of two blocks of one name the whole one counts, else the one with more rows, else the one read first. */
static void find_superseded(struct release *r, int at)
{
    struct release_block *b = &r->blocks.at[at];
    for (int i = 0; i < at; i++) {
        struct release_block *x = &r->blocks.at[i], *loser;
        if (!release_same_names(x, b) || !release_counts(x) || !release_counts(b))
            continue;
        loser = b->rows.n > x->rows.n ? x : b;
        loser->state = BLOCK_SUPERSEDED;
        loser->note = arena_printf(r->arena, "%s has this block too", loser == x ? b->file : x->file);
    }
}

/* Rows of micro-kernels that print no Ansor columns take them from its log. */
static void micro_bases(struct release *r)
{
    for (int i = 0; i < r->blocks.n; i++) {
        struct release_block *b = &r->blocks.at[i];
        if (b->table != TABLE_MICRO || str_eq(b->run, "log") || !b->rows.n || !isnan(b->rows.at[0].v[BASE_TIME]))
            continue;
        const struct release_block *log = release_find(r, TABLE_MICRO, b->machine, "log", NULL, b->network, 0);
        for (int m = BASE_TIME; log && m <= BASE_RECORDS; m++)
            b->rows.at[0].v[m] = log->rows.at[0].v[m];
    }
}

void block_state_decide(struct release *r)
{
    for (int i = 0; i < r->blocks.n; i++)
        r->blocks.at[i].kernels = whole_rows(r, &r->blocks.at[i]);
    for (int i = 0; i < r->blocks.n; i++)
        find_partial(r, &r->blocks.at[i]);
    for (int i = 0; i < r->blocks.n; i++)
        find_superseded(r, i);
    micro_bases(r);
}
