/* SPDX-License-Identifier: Apache-2.0 */
/* plan: what must hold before a campaign starts, checked in one place so that a wrong plan fails in a second, not after
 * an hour. */
#include "harness/tune/plan.h"

#include "harness/base/hash.h"
#include "harness/base/text.h"
#include "harness/stats/design_effect.h"
#include "harness/stats/run_order.h"

#include <math.h>

int64_t cell_plan_trials(const struct cell_plan *c)
{
    return c->trials > 0 ? c->trials : c->trials_per_task * c->ntasks;
}

bool plan_taken(const struct plan *p, int cell, int task, struct plan_place *from)
{
    const struct cell_plan *c = &p->cells[cell];
    const char *spec = p->share_kernels ? c->tasks[task].task->spec : NULL;
    for (int i = 0; spec && i < cell; i++) {
        const struct cell_plan *o = &p->cells[i];
        if (o->seed != c->seed || !str_eq(o->arm, c->arm) || str_eq(o->network, c->network))
            continue;
        for (int t = 0; t < o->ntasks; t++)
            if (str_eq(o->tasks[t].task->spec, spec)) {
                *from = (struct plan_place){i, t};
                return true;
            }
    }
    return false;
}

int plan_taken_count(const struct plan *p, int cell)
{
    struct plan_place from;
    int n = 0;
    for (int t = 0; t < p->cells[cell].ntasks; t++)
        n += plan_taken(p, cell, t, &from);
    return n;
}

/* by: 0 equal weights, 1 FLOP, 2 FLOP and calls. Of the cells of the first arm and seed: rows are networks. */
static double design_of(const struct plan *p, struct arena *a, int by)
{
    int n = 0, most = 1;
    for (int i = 0; i < p->ncells; i++)
        most += p->cells[i].ntasks;
    struct design_part *parts = ARENA_ARRAY(a, struct design_part, most);
    for (int i = 0; i < p->ncells; i++) {
        const struct cell_plan *c = &p->cells[i];
        bool first = c->seed == p->cells[0].seed && str_eq(c->arm, p->cells[0].arm);
        for (int t = 0; first && t < c->ntasks; t++) {
            const struct plan_task *task = &c->tasks[t];
            double weight = by ? fmax(1, task->task->flops) * (by == 2 ? task->weight : 1) : 1;
            parts[n++] = (struct design_part){i, hash_str(task->task->spec), weight};
        }
    }
    return design_effect(a, parts, n);
}

double plan_design_effect(const struct plan *p)
{
    double design = 1;
    struct arena *a = arena_open("design");
    for (int by = 0; by < 3 && p->share_kernels; by++)
        design = fmax(design, design_of(p, a, by));
    arena_close(a);
    return design;
}

bool plan_runs(const struct plan *p, int cell)
{
    return !p->elsewhere || !p->elsewhere[cell];
}

/* Where kernels are taken, trials are shared evenly. */
int64_t plan_cell_trials(const struct plan *p, int cell)
{
    const struct cell_plan *c = &p->cells[cell];
    int taken = plan_taken_count(p, cell);
    if (!plan_runs(p, cell))
        return 0;
    return taken ? cell_plan_trials(c) / c->ntasks * (c->ntasks - taken) : cell_plan_trials(c);
}

int64_t plan_trials(const struct plan *p)
{
    int64_t sum = 0;
    for (int i = 0; i < p->ncells; i++)
        sum += plan_cell_trials(p, i);
    return sum;
}

const struct regime *plan_regime(const struct plan *p, int cell)
{
    return p->cells[cell].under ? &p->cells[cell].under->regime : &p->regime;
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

bool plan_same_block(const struct cell_keys *x, const struct cell_keys *y)
{
    return x->seed == y->seed && str_eq(x->network, y->network);
}

static int block_end(const struct plan *p, int begin)
{
    int end = begin + 1;
    while (end < p->ncells && plan_same_block(&p->cells[end].keys, &p->cells[begin].keys))
        end++;
    return end;
}

/* The cell of this network, arm and seed; -1: there is none. */
static int cell_of(const struct plan *p, const struct cell_keys *k)
{
    for (int i = 0; i < p->ncells; i++)
        if (plan_same_block(&p->cells[i].keys, k) && str_eq(p->cells[i].arm, k->arm))
            return i;
    return -1;
}

static bool cell_differs(const struct plan *p, const struct cell_keys *k, const char *why, struct err *err)
{
    return err_set(err,
                   "'%s' holds the records of another experiment (%s, %s, seed %lld %s): choose another folder with "
                   "--results",
                   p->results_dir, k->network, k->arm, (long long)k->seed, why);
}

int plan_begun(const struct plan *p, const struct store_cell *had, int n)
{
    int begun = n;
    while (begun > 0 && !p->elsewhere && !*had[begun - 1].state && cell_of(p, &had[begun - 1].keys) < 0)
        begun--;
    return begun > 0 ? begun : n;
}

bool plan_follow(struct plan *p, struct arena *a, const struct store_cell *had, int n, struct err *err)
{
    int *at = ARENA_ARRAY(a, int, p->ncells + 1), next = 0; /* where each cell of the plan goes */
    struct cell_plan *cells = ARENA_ARRAY(a, struct cell_plan, p->ncells + 1);
    bool *elsewhere = p->elsewhere ? ARENA_ARRAY(a, bool, p->ncells + 1) : NULL;
    for (int i = 0; i < p->ncells; i++)
        at[i] = -1;
    for (int i = 0; i < n; i++) {
        int cell = cell_of(p, &had[i].keys);
        if (cell < 0)
            return cell_differs(p, &had[i].keys, "is not in this one", err);
        at[cell] = next++;
    }
    for (int i = 0; i < p->ncells; i++)
        if (at[i] < 0)
            at[i] = next++;
    for (int i = 0; i < p->ncells; i++) {
        struct cell_plan *c = &cells[at[i]];
        *c = p->cells[i];
        c->explore_cell = c->explore_cell < 0 ? -1 : at[c->explore_cell];
        if (elsewhere)
            elsewhere[at[i]] = p->elsewhere[i];
    }
    p->cells = cells;
    p->elsewhere = elsewhere;
    return true;
}

bool plan_grows(const struct plan *p, int n, struct err *err)
{
    if (p->elsewhere && n < p->ncells)
        return err_set(err, "'%s' holds a shard, which has the networks and seeds that it began with", p->results_dir);
    for (int i = n; i < p->ncells; i++)
        for (int k = 0; k < n; k++)
            if (plan_same_block(&p->cells[i].keys, &p->cells[k].keys))
                return cell_differs(p, &p->cells[i].keys, "is not in that one", err);
    return true;
}

void plan_order(const struct plan *p, int *order)
{
    struct arena *a = arena_open("order");
    int *turns = ARENA_ARRAY(a, int, p->ncells + 1);
    bool *placed = ARENA_ARRAY(a, bool, p->ncells + 1);
    for (int begin = 0, n = 0; begin < p->ncells;) {
        int end = block_end(p, begin), arms = end - begin;
        const struct cell_plan *first = &p->cells[begin]; /* a block's order does not hang on how many come before it */
        run_order_of(arms, hash_mix(hash_str(first->network), p->input_seed + (uint64_t)first->seed), turns);
        for (int i = 0; n < end; i = (i + 1) % arms) { /* the next in that order that may run */
            int cell = begin + turns[i], seeded_by = p->cells[cell].explore_cell;
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

/* May the cell take kernels: is a kernel's budget the same whatever its network is? */
static bool sharing_check(const struct plan *p, int i, struct err *err)
{
    const struct cell_plan *c = &p->cells[i];
    struct plan_place from;
    if (c->scheduler == SCHEDULER_GRADIENT)
        return err_set(err, "share_kernels: a gradient scheduler gives a kernel what its network leaves it");
    if (cell_plan_trials(c) % c->ntasks)
        return err_set(err, "share_kernels: %lld trials are not the same number for each of %d kernels",
                       (long long)cell_plan_trials(c), c->ntasks);
    for (int t = 0; t < c->ntasks; t++) {
        if (!plan_taken(p, i, t, &from))
            continue;
        const struct cell_plan *o = &p->cells[from.cell];
        if (cell_plan_trials(o) / o->ntasks != cell_plan_trials(c) / c->ntasks)
            return err_set(err, "share_kernels: kernel %d has another number of trials in '%s'", t, o->network);
    }
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
    if (p->share_kernels && !sharing_check(p, i, err))
        return false;
    if (c->explore_cell < 0)
        return true;
    if (c->explore_cell >= i)
        return err_set(err, "is seeded by cell %d, which does not run before it", c->explore_cell);
    if (!same_tasks(c, &p->cells[c->explore_cell]))
        return err_set(err, "is seeded by cell %d, which has other kernels", c->explore_cell);
    return true;
}

bool plan_check_duels(const struct plan *p, struct err *err)
{
    if (plan_has_duels(p) && p->duels.min_launches > p->duels.max_launches)
        return err_set(err, "duels: min_launches is %lld, more than max_launches, which is %lld",
                       (long long)p->duels.min_launches, (long long)p->duels.max_launches);
    return true;
}

bool plan_check(const struct plan *p, struct err *err)
{
    if (p->ncells < 1)
        return err_set(err, "experiment '%s' has no cells to run", p->stem);
    if (!plan_check_duels(p, err))
        return false;
    for (int i = 0; i < p->ncells; i++)
        if (!cell_check(p, i, err))
            return err_context(err, "cell %d (%s, %s, seed %lld)", i, p->cells[i].network, p->cells[i].arm,
                               (long long)p->cells[i].seed);
    return true;
}
