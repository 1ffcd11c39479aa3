/* SPDX-License-Identifier: Apache-2.0 */
/* access_analysis: TVM's AccessAnalyzer, rule by rule (TVM v0.16 compute_dag.cc). No deviation is known.
 */
#include "harness/program/ir/access_analysis.h"

#include <string.h>

/* Number of the load expressions in a body; stores them when found is given. Indices hold no loads (dag_make checks).
 */
static int find_loads(const struct expr *e, const struct expr **found)
{
    if (e->kind == EXPR_LOAD) {
        if (found)
            *found = e;
        return 1;
    }
    int n = 0;
    for (int i = 0; i < e->nargs; i++)
        n += find_loads(e->args[i], found ? found + n : NULL);
    return n;
}

static void fill_reads(struct arena *a, const struct dag *d, int position, struct op_analysis *f)
{
    const struct op *op = d->ops[position];
    if (op->kind != OP_COMPUTE)
        return;
    f->nreads = find_loads(op->body, NULL);
    const struct expr **loads = ARENA_ARRAY(a, const struct expr *, f->nreads);
    find_loads(op->body, loads);
    f->reads = ARENA_ARRAY(a, struct access, f->nreads);
    for (int i = 0; i < f->nreads; i++)
        f->reads[i] = (struct access){d->position[loads[i]->i], loads[i]};
}

static bool reads_from(const struct op_analysis *f, int producer)
{
    for (int i = 0; i < f->nreads; i++)
        if (f->reads[i].producer == producer)
            return true;
    return false;
}

static void fill_neighbours(struct arena *a, const struct dag *d, int position, struct op_analysis *analysis)
{
    struct op_analysis *f = &analysis[position];
    f->producers = ARENA_ARRAY(a, int, d->nops);
    f->consumers = ARENA_ARRAY(a, int, d->nops);
    for (int other = 0; other < d->nops; other++) {
        if (reads_from(f, other))
            f->producers[f->nproducers++] = other;
        if (reads_from(&analysis[other], position))
            f->consumers[f->nconsumers++] = other;
    }
}

/* x, x + c, c + x or x - c for an axis x. */
static int shifted_axis(const struct expr *e)
{
    if (e->kind == EXPR_AXIS)
        return (int)e->i;
    if ((e->kind != EXPR_ADD && e->kind != EXPR_SUB) || e->nargs != 2)
        return -1;
    if (e->args[0]->kind == EXPR_AXIS && e->args[1]->kind == EXPR_INT)
        return (int)e->args[0]->i;
    if (e->kind == EXPR_ADD && e->args[0]->kind == EXPR_INT && e->args[1]->kind == EXPR_AXIS)
        return (int)e->args[1]->i;
    return -1;
}

/* Every index is one axis of op plus a constant, or a constant; the flags say more of the axes. */
static bool is_simple_access(const struct op *op, const struct expr *load, bool *axis_missing, bool *axis_duplicated,
                             bool *same_order)
{
    if (op->kind != OP_COMPUTE)
        return false;
    int count[DIMS_MAX] = {0}, last = -1;
    *axis_missing = *axis_duplicated = false;
    *same_order = true;
    for (int i = 0; i < load->nargs; i++) {
        if (load->args[i]->kind == EXPR_INT)
            continue;
        int axis = shifted_axis(load->args[i]);
        if (axis < 0 || axis >= op->nspatial) /* reading by a reduce axis is not simple */
            return false;
        *axis_duplicated |= ++count[axis] > 1;
        *same_order &= axis >= last;
        last = axis;
    }
    for (int i = 0; i < op->nspatial; i++)
        *axis_missing |= count[i] == 0;
    return true;
}

static bool contains(const struct expr *e, enum expr_kind a, enum expr_kind b, enum expr_kind c)
{
    if (e->kind == a || e->kind == b || e->kind == c)
        return true;
    for (int i = 0; i < e->nargs; i++)
        if (contains(e->args[i], a, b, c))
            return true;
    return false;
}

/* No exp, no branch, every read simple, in order, without a repeated axis. What reads nothing is always inlineable. */
static bool strictly_inlineable(const struct op *op, const struct op_analysis *f)
{
    if (op->kind != OP_COMPUTE)
        return false;
    if (f->nreads == 0)
        return true;
    if (contains(op->body, EXPR_EXP, EXPR_IF, EXPR_SELECT))
        return false;
    for (int i = 0; i < f->nreads; i++) {
        bool missing, duplicated, ordered;
        if (!is_simple_access(op, f->reads[i].load, &missing, &duplicated, &ordered) || duplicated || !ordered)
            return false;
    }
    return true;
}

/* Some spatial axis longer than 1 appears in no index of any read of the producer: its elements are used again. */
static bool is_reused(const struct op *op, const struct op_analysis *f, int producer)
{
    for (int axis = 0; axis < op->nspatial; axis++) {
        bool used = op->axes[axis].extent <= 1;
        for (int i = 0; i < f->nreads && !used; i++)
            used = f->reads[i].producer == producer && expr_uses_axis(f->reads[i].load, axis);
        if (!used)
            return true;
    }
    return false;
}

static bool needs_tiling(const struct op *op, const struct op_analysis *f)
{
    if (op->kind != OP_COMPUTE || op->nconst_axes > 0)
        return false;
    int reused = 0;
    for (int i = 0; i < f->nproducers; i++)
        reused += is_reused(op, f, f->producers[i]);
    return reused >= 2 || (reused >= 1 && op->nreduce > 0);
}

void access_analysis_fill(struct arena *a, const struct dag *d, struct op_analysis *analysis)
{
    for (int i = 0; i < d->nops; i++)
        fill_reads(a, d, i, &analysis[i]);
    for (int i = 0; i < d->nops; i++) {
        struct op_analysis *f = &analysis[i];
        fill_neighbours(a, d, i, analysis);
        f->is_output = d->ops[i]->kind == OP_COMPUTE && f->nconsumers == 0;
        f->is_strictly_inlineable = strictly_inlineable(d->ops[i], f);
        f->needs_tiling = needs_tiling(d->ops[i], f);
    }
}

static bool same_shape(const struct op *x, const struct op *y)
{
    if (x->nspatial != y->nspatial)
        return false;
    for (int i = 0; i < x->nspatial; i++)
        if (x->axes[i].extent != y->axes[i].extent)
            return false;
    return true;
}

static bool reads_element_wise(const struct dag *d, int producer, int consumer)
{
    const struct op_analysis *f = &d->analysis[consumer];
    for (int i = 0; i < f->nreads; i++) {
        bool missing, duplicated, ordered;
        if (f->reads[i].producer != producer)
            continue;
        if (!is_simple_access(d->ops[consumer], f->reads[i].load, &missing, &duplicated, &ordered) || missing ||
            duplicated || !ordered)
            return false;
    }
    return true;
}

bool dag_element_wise_match(const struct dag *d, int from, int to)
{
    while (from != to) {
        const struct op_analysis *f = &d->analysis[from];
        if (f->nconsumers != 1 || d->ops[from]->kind != OP_COMPUTE)
            return false;
        int next = f->consumers[0];
        if (!same_shape(d->ops[from], d->ops[next]) || !reads_element_wise(d, from, next))
            return false;
        from = next;
    }
    return true;
}

/* Leading axes that the consumer reads the producer by, one for one. */
static int common_axes(const struct dag *d, int producer, int consumer)
{
    const struct op *from = d->ops[producer], *to = d->ops[consumer];
    const struct op_analysis *f = &d->analysis[consumer];
    int most = from->nspatial < to->nspatial ? from->nspatial : to->nspatial, n = 0;
    for (; n < most && from->axes[n].extent == to->axes[n].extent; n++)
        for (int i = 0; i < f->nreads; i++) {
            const struct expr *index = f->reads[i].producer == producer ? f->reads[i].load->args[n] : NULL;
            if (index && (index->kind != EXPR_AXIS || index->i != n))
                return n;
        }
    return n;
}

/* -1: no path. */
static int least_common(const struct dag *d, int from, int to)
{
    if (from == to)
        return d->ops[from]->nspatial;
    int least = -1;
    for (int i = 0; i < d->analysis[from].nconsumers; i++) {
        int next = d->analysis[from].consumers[i], rest = next <= to ? least_common(d, next, to) : -1;
        if (rest < 0)
            continue;
        int own = common_axes(d, from, next), n = own < rest ? own : rest;
        least = least < 0 || n < least ? n : least;
    }
    return least;
}

int dag_common_outer(const struct dag *d, int from, int to)
{
    int n = least_common(d, from, to);
    return n < 0 ? 0 : n;
}
