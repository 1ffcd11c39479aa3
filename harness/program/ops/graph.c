/* SPDX-License-Identifier: Apache-2.0 */
/* graph: collects the stages of an operator definition, then sorts them: post-order from the output, reads left to
 * right, placeholders where first met, which is TVM's order. So p3 comes first when a residual is read before the data.
 */
#include "harness/program/ops/graph.h"

#include "harness/program/ir/dag_make.h"

static struct op *add(struct graph *g, struct op op)
{
    if (g->nops == GRAPH_OPS)
        bug("a graph with more than %d ops", GRAPH_OPS);
    struct op *copy = ARENA_DUP(g->arena, &op, struct op, 1);
    copy->id = g->nops;
    copy->dtype = op.kind == OP_PLACEHOLDER ? g->inputs : op.body->dtype == DTYPE_F16 ? DTYPE_F16 : DTYPE_F32;
    copy->flop_override = op.flop_override == 0 ? -1 : op.flop_override;
    copy->tag = op.tag ? op.tag : "";
    copy->scope = "";
    g->ops[g->nops++] = copy;
    return copy;
}

static const struct op *placeholder(struct graph *g, const char *name, int ndim, const int64_t *shape, bool weight)
{
    struct axis *axes = ARENA_ARRAY(g->arena, struct axis, ndim);
    for (int i = 0; i < ndim; i++)
        axes[i] = (struct axis){arena_printf(g->arena, "d%d", i), shape[i]};
    if (!name)
        name = arena_printf(g->arena, "p%d", g->nargs);
    const struct op *op = add(g, (struct op){.kind = OP_PLACEHOLDER, .name = name, .axes = axes, .nspatial = ndim});
    g->is_weight[g->nargs] = weight;
    g->args[g->nargs++] = op->id;
    return op;
}

const struct op *graph_input(struct graph *g, const char *name, int ndim, const int64_t *shape)
{
    return placeholder(g, name, ndim, shape, false);
}

const struct op *graph_weight(struct graph *g, const char *name, int ndim, const int64_t *shape)
{
    double n = 1;
    for (int i = 0; i < ndim; i++)
        n *= (double)shape[i];
    g->params += n;
    return placeholder(g, name, ndim, shape, true);
}

const struct op *graph_stage(struct graph *g, struct op op)
{
    op.kind = OP_COMPUTE;
    op.axes = ARENA_DUP(g->arena, op.axes, struct axis, op.nspatial + op.nreduce);
    return add(g, op);
}

const struct op *graph_map(struct graph *g, const char *name, const char *tag, const struct axis *axes, int naxes,
                           const struct expr *body)
{
    return graph_stage(g, (struct op){.name = name, .tag = tag, .axes = axes, .nspatial = naxes, .body = body});
}

const struct op *graph_product(struct graph *g, struct op op, const struct expr *x, const struct expr *y)
{
    const int filter = (int)y->i;
    op.reducer = REDUCE_SUM;
    op.body = expr_make2(g->arena, EXPR_MUL, graph_float(g, x), graph_float(g, y));
    op.rewritten = ARENA_DUP(g->arena, &filter, int, 1);
    return graph_stage(g, op);
}

void graph_axes(struct graph *g, const struct op *like, const char *prefix, struct axis *axes)
{
    if (like->nspatial > GRAPH_DIMS)
        bug("'%s' has %d dimensions", like->name, like->nspatial);
    for (int i = 0; i < like->nspatial; i++)
        axes[i] = (struct axis){arena_printf(g->arena, "%s%d", prefix, i), like->axes[i].extent};
}

void graph_index(struct graph *g, const struct expr **index, int n)
{
    for (int i = 0; i < n; i++)
        index[i] = expr_axis(g->arena, i);
}

const struct expr *graph_load(struct graph *g, const struct op *op, const struct expr *const *index)
{
    return expr_load(g->arena, op->id, op->dtype, op->nspatial, index);
}

const char *const GRAPH_INPUTS[] = {"float32", "float16", NULL};

enum dtype graph_input_type(int choice)
{
    return choice ? DTYPE_F16 : DTYPE_F32;
}

const struct expr *graph_float(struct graph *g, const struct expr *e)
{
    return e->dtype == DTYPE_F32 ? e : expr_cast(g->arena, DTYPE_F32, e);
}

struct sorting {
    struct graph *g;
    int new_id[GRAPH_OPS]; /* -1: not met yet */
    const struct op *sorted[GRAPH_OPS];
    int n;
};

static void visit_op(struct sorting *s, int id);

static void visit_loads(struct sorting *s, const struct expr *e)
{
    if (e->kind == EXPR_LOAD)
        visit_op(s, (int)e->i);
    for (int i = 0; i < e->nargs; i++)
        visit_loads(s, e->args[i]);
}

static const struct expr *renumber(struct sorting *s, const struct expr *e)
{
    if (e->nargs == 0 && e->kind != EXPR_LOAD)
        return e;
    struct expr *copy = ARENA_DUP(s->g->arena, e, struct expr, 1);
    const struct expr **args = ARENA_ARRAY(s->g->arena, const struct expr *, e->nargs);
    for (int i = 0; i < e->nargs; i++)
        args[i] = renumber(s, e->args[i]);
    copy->args = args;
    if (e->kind == EXPR_LOAD)
        copy->i = s->new_id[e->i];
    return copy;
}

static void visit_op(struct sorting *s, int id)
{
    if (s->new_id[id] >= 0)
        return;
    struct op *copy = ARENA_DUP(s->g->arena, s->g->ops[id], struct op, 1);
    if (copy->body) {
        visit_loads(s, copy->body);
        copy->body = renumber(s, copy->body);
    }
    int *rewritten = ARENA_DUP(s->g->arena, copy->rewritten, int, copy->nrewritten);
    for (int i = 0; i < copy->nrewritten; i++)
        rewritten[i] = s->new_id[rewritten[i]];
    copy->rewritten = rewritten;
    copy->id = s->new_id[id] = s->n;
    s->sorted[s->n++] = copy;
}

bool graph_finish(struct graph *g, const struct dag **out, struct err *err)
{
    struct sorting s = {.g = g};
    if (g->nops == 0)
        bug("a graph without ops");
    for (int i = 0; i < g->nops; i++)
        s.new_id[i] = -1;
    visit_op(&s, g->nops - 1);
    if (s.n != g->nops)
        bug("%d of %d ops are not read", g->nops - s.n, g->nops);
    for (int i = 0; i < g->nargs; i++)
        g->args[i] = s.new_id[g->args[i]];
    return dag_make(g->arena, s.sorted, s.n, s.n, out, err);
}
