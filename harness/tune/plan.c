/* SPDX-License-Identifier: Apache-2.0 */
/* plan: what must hold before a campaign starts, checked in one place so that a wrong plan fails in a second, not after
 * an hour. */
#include "harness/tune/plan.h"

#include "harness/base/text.h"
#include "harness/stats/run_order.h"

int64_t cell_plan_trials(const struct cell_plan *c)
{
    return c->trials > 0 ? c->trials : c->trials_per_task * c->ntasks;
}

int64_t plan_trials(const struct plan *p)
{
    int64_t sum = 0;
    for (int i = 0; i < p->ncells; i++)
        sum += cell_plan_trials(&p->cells[i]);
    return sum;
}

bool plan_has_duels(const struct plan *p)
{
    return p->duels.max_launches > 0;
}

int plan_retime_top(const struct plan *p)
{
    return p->retime_top > 1 ? p->retime_top : 1;
}

/* The explore cell is compared as a cell of its own, because equal seeds come from one log. */
bool cell_plan_same_descent(const struct cell_plan *a, const struct cell_plan *b)
{
    struct cell_keys x = a->keys;
    x.arm = b->arm;
    x.k = b->k;
    x.k_plus_one = b->k_plus_one;
    x.share = b->share;
    return a->explore_cell >= 0 && !keys_difference(cell_key_table, &x, &b->keys);
}

static int block_end(const struct plan *p, int begin)
{
    int end = begin + 1;
    while (end < p->ncells && p->cells[end].seed == p->cells[begin].seed &&
           str_eq(p->cells[end].network, p->cells[begin].network))
        end++;
    return end;
}

void plan_order(const struct plan *p, int *order)
{
    struct arena *a = arena_open("order");
    struct run_order_turn *turns = ARENA_ARRAY(a, struct run_order_turn, p->ncells + 1);
    bool *placed = ARENA_ARRAY(a, bool, p->ncells + 1);
    for (int begin = 0, n = 0; begin < p->ncells;) {
        int end = block_end(p, begin), arms = end - begin;
        run_order_of(1, arms, p->input_seed + (uint64_t)begin, turns);
        for (int i = 0; n < end; i = (i + 1) % arms) { /* the next in that order that may run */
            int cell = begin + turns[i].arm, seeded_by = p->cells[cell].explore_cell;
            if (placed[cell] || (seeded_by >= begin && !placed[seeded_by]))
                continue;
            placed[cell] = true;
            order[n++] = cell;
        }
        begin = end;
    }
    arena_close(a);
}

static bool same_tasks(const struct cell_plan *a, const struct cell_plan *b)
{
    if (a->ntasks != b->ntasks)
        return false;
    for (int t = 0; t < a->ntasks; t++)
        if (!str_eq(a->tasks[t].task->spec, b->tasks[t].task->spec))
            return false;
    return true;
}

static bool cell_check(const struct plan *p, int i, struct err *err)
{
    const struct cell_plan *c = &p->cells[i];
    if (c->ntasks < 1)
        return err_set(err, "no kernels");
    if (c->batch < 1)
        return err_set(err, "batch is %lld, must be at least 1", (long long)c->batch);
    if (c->trials < 0 || c->trials_per_task < 0 || cell_plan_trials(c) < c->ntasks)
        return err_set(err, "%lld trials for %d kernels: give at least one to each", (long long)cell_plan_trials(c),
                       c->ntasks);
    if (c->k < 0)
        return err_set(err, "k is %lld, must be 0 (all records) or more", (long long)c->k);
    for (int t = 0; t < c->ntasks; t++)
        if (!(c->tasks[t].weight > 0))
            return err_set(err, "weight of kernel %d is not above 0", t);
    if (c->explore_cell < 0)
        return true;
    if (c->explore_cell >= i)
        return err_set(err, "is seeded by cell %d, which does not run before it", c->explore_cell);
    if (!same_tasks(c, &p->cells[c->explore_cell]))
        return err_set(err, "is seeded by cell %d, which has other kernels", c->explore_cell);
    return true;
}

bool plan_check(const struct plan *p, struct err *err)
{
    if (p->ncells < 1)
        return err_set(err, "experiment '%s' has no cells to run", p->stem);
    if (plan_has_duels(p) && p->launches > 0)
        return err_set(err, "experiment '%s' has both 'launches' and 'duels': leave one out", p->stem);
    if (plan_has_duels(p) && p->duels.min_launches > p->duels.max_launches)
        return err_set(err, "duels: min_launches is %lld, more than max_launches, which is %lld",
                       (long long)p->duels.min_launches, (long long)p->duels.max_launches);
    for (int i = 0; i < p->ncells; i++)
        if (!cell_check(p, i, err))
            return err_context(err, "cell %d (%s, %s, seed %lld)", i, p->cells[i].network, p->cells[i].arm,
                               (long long)p->cells[i].seed);
    return true;
}
