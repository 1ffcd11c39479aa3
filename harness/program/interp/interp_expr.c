/* SPDX-License-Identifier: Apache-2.0 */
/* interp_expr: a body becomes a list of nodes in evaluation order, equal ones shared. The offset of a load is a sum of
 * terms, divided into the part that is the same for all lanes and the part that varies: for a convolution over its
 * input channels the varying part is a table made once, and the inner loop is two gathers, a product and an addition.
 */
#include "harness/program/interp/interp_expr.h"

#include "harness/base/err.h"
#include "harness/base/int_math.h"
#include "harness/program/ir/element.h"

#include <math.h>
#include <string.h>

enum { MOST_NODES = 1024, MOST_TERMS = 64, NODE_SUM = EXPR_COUNT };

struct node {
    int kind; /* enum expr_kind or NODE_SUM */
    enum dtype dtype;
    int arg[3];     /* nodes; LOAD: offset the same for all lanes, varying offset or -1 */
    bool varies;    /* with the lane axis */
    bool only_lane; /* depends on nothing but the lane axis */
    bool guarded;   /* LOAD inside a branch: outside of the tensor it gives 0, which nobody uses */
    int64_t i;      /* INT: value. AXIS: axis. LOAD: position. SUM: constant */
    double f;
    int nterms; /* SUM: coef[k] * node term[k] */
    const int *term;
    const int64_t *coef;
    int64_t *ints; /* values: one, or INTERP_LANES when it varies */
    double *reals;
};

struct interp_expr {
    struct arena *arena;
    const struct dag *dag;
    const struct op *op;
    const struct interp_expr_tensor *tensors;
    int lane;
    struct node *nodes;
    int nnodes, root;
    int64_t axes[64];        /* current coordinates */
    int64_t made_at, made_n; /* block for which the only_lane nodes hold */
};

static bool same_node(const struct node *x, const struct node *y)
{
    return x->kind == y->kind && x->dtype == y->dtype && memcmp(x->arg, y->arg, sizeof x->arg) == 0 && x->i == y->i &&
           x->f == y->f && x->guarded == y->guarded && x->nterms == y->nterms &&
           memcmp(x->term ? x->term : (const int[1]){0}, y->term ? y->term : (const int[1]){0},
                  (size_t)x->nterms * sizeof(int)) == 0 &&
           memcmp(x->coef ? x->coef : (const int64_t[1]){0}, y->coef ? y->coef : (const int64_t[1]){0},
                  (size_t)x->nterms * sizeof(int64_t)) == 0;
}

static int add_node(struct interp_expr *s, struct node n)
{
    for (int i = 0; i < s->nnodes; i++)
        if (same_node(&s->nodes[i], &n))
            return i;
    if (s->nnodes == MOST_NODES)
        bug("the body of '%s' has more than %d nodes", s->op->name, MOST_NODES);
    int count = n.varies ? INTERP_LANES : 1;
    if (dtype_is_float(n.dtype))
        n.reals = ARENA_ARRAY(s->arena, double, count);
    else
        n.ints = ARENA_ARRAY(s->arena, int64_t, count);
    s->nodes[s->nnodes] = n;
    return s->nnodes++;
}

static int compile(struct interp_expr *s, const struct expr *e, bool guarded);

struct index_sum {
    int term[MOST_TERMS];
    int64_t coef[MOST_TERMS];
    int n;
    int64_t constant;
};

static void add_terms(struct interp_expr *s, const struct expr *e, int64_t coef, struct index_sum *sum)
{
    if (e->kind == EXPR_INT) {
        sum->constant += coef * e->i;
    } else if (e->kind == EXPR_ADD || e->kind == EXPR_SUB) {
        add_terms(s, e->args[0], coef, sum);
        add_terms(s, e->args[1], e->kind == EXPR_ADD ? coef : -coef, sum);
    } else if (e->kind == EXPR_MUL && e->args[1]->kind == EXPR_INT) {
        add_terms(s, e->args[0], coef * e->args[1]->i, sum);
    } else {
        if (sum->n == MOST_TERMS)
            bug("an index of '%s' has more than %d terms", s->op->name, MOST_TERMS);
        sum->term[sum->n] = compile(s, e, false);
        sum->coef[sum->n++] = coef;
    }
}

/* The terms of sum that vary, or those that do not, as one node; the constant goes with the latter. */
static int sum_node(struct interp_expr *s, const struct index_sum *sum, bool varying)
{
    int *term = ARENA_ARRAY(s->arena, int, sum->n + 1);
    int64_t *coef = ARENA_ARRAY(s->arena, int64_t, sum->n + 1);
    struct node n = {.kind = NODE_SUM, .dtype = DTYPE_I64, .varies = varying, .only_lane = varying};
    for (int i = 0; i < sum->n; i++) {
        const struct node *t = &s->nodes[sum->term[i]];
        if (t->varies != varying)
            continue;
        term[n.nterms] = sum->term[i];
        coef[n.nterms++] = sum->coef[i];
        n.only_lane &= t->only_lane;
    }
    if (varying && n.nterms == 0)
        return -1;
    n.i = varying ? 0 : sum->constant;
    n.term = term;
    n.coef = coef;
    return add_node(s, n);
}

static int compile_load(struct interp_expr *s, const struct expr *e, bool guarded)
{
    const struct op *from = s->dag->ops[s->dag->position[e->i]];
    struct index_sum sum = {0};
    int64_t stride = 1;
    for (int d = from->nspatial - 1; d >= 0; d--) {
        add_terms(s, e->args[d], stride, &sum);
        stride *= from->axes[d].extent;
    }
    struct node n = {.kind = EXPR_LOAD, .dtype = e->dtype, .guarded = guarded, .i = s->dag->position[e->i]};
    n.arg[0] = sum_node(s, &sum, false);
    n.arg[1] = sum_node(s, &sum, true);
    n.varies = n.arg[1] >= 0;
    return add_node(s, n);
}

static int compile(struct interp_expr *s, const struct expr *e, bool guarded)
{
    if (e->kind == EXPR_LOAD)
        return compile_load(s, e, guarded);
    struct node n = {.kind = (int)e->kind, .dtype = e->dtype, .arg = {-1, -1, -1}, .only_lane = true};
    if (e->kind == EXPR_FLOAT)
        n.f = e->f;
    else if (e->kind == EXPR_INT || e->kind == EXPR_AXIS)
        n.i = e->i;
    if (e->kind == EXPR_AXIS) {
        n.varies = e->i == s->lane;
        n.only_lane = n.varies;
    }
    bool branches = e->kind == EXPR_IF || e->kind == EXPR_SELECT;
    for (int i = 0; i < e->nargs; i++) {
        n.arg[i] = compile(s, e->args[i], guarded || (branches && i > 0));
        n.varies |= s->nodes[n.arg[i]].varies;
        n.only_lane &= s->nodes[n.arg[i]].only_lane && s->nodes[n.arg[i]].kind != EXPR_LOAD;
    }
    return add_node(s, n);
}

struct interp_expr *interp_expr_make(struct arena *a, const struct dag *d, int position, int lane,
                                     const struct interp_expr_tensor *tensors)
{
    struct interp_expr *s = ARENA_NEW(a, struct interp_expr);
    *s = (struct interp_expr){
        .arena = a, .dag = d, .op = d->ops[position], .tensors = tensors, .lane = lane, .made_at = -1};
    s->nodes = ARENA_ARRAY(a, struct node, MOST_NODES);
    s->root = compile(s, s->op->body, false);
    return s;
}

static double read_element(const struct interp_expr *s, const struct node *n, const struct interp_expr_tensor *t,
                           int64_t at)
{
    if (at < 0 || at >= t->elements) {
        if (!n->guarded)
            bug("'%s' reads element %lld of '%s', which has %lld", s->op->name, (long long)at, s->dag->ops[n->i]->name,
                (long long)t->elements);
        return 0;
    }
    if (!t->data)
        return t->get(t->with, (int)n->i, at);
    return element_get(t->type, t->data, at);
}

/* The two types of data that matter get loops of their own; a block that may leave the tensor takes the careful way. */
static void run_load(const struct interp_expr *s, struct node *n, int64_t count)
{
    const struct interp_expr_tensor *t = &s->tensors[n->i];
    int64_t base = s->nodes[n->arg[0]].ints[0];
    const int64_t *off = n->varies ? s->nodes[n->arg[1]].ints : NULL;
    if (!off || !t->data || n->guarded || (t->type != DTYPE_F32 && t->type != DTYPE_F64) || n->reals == NULL) {
        for (int64_t l = 0; l < (off ? count : 1); l++) {
            double v = read_element(s, n, t, base + (off ? off[l] : 0));
            if (n->reals)
                n->reals[l] = v;
            else
                n->ints[l] = (int64_t)v;
        }
        return;
    }
    int64_t least = off[0], most = off[0];
    for (int64_t l = 1; l < count; l++) {
        least = off[l] < least ? off[l] : least;
        most = off[l] > most ? off[l] : most;
    }
    if (base + least < 0 || base + most >= t->elements)
        read_element(s, n, t, base + least < 0 ? base + least : base + most); /* does not return */
    if (t->type == DTYPE_F32)
        for (int64_t l = 0; l < count; l++)
            n->reals[l] = (double)((const float *)t->data)[base + off[l]];
    else
        for (int64_t l = 0; l < count; l++)
            n->reals[l] = ((const double *)t->data)[base + off[l]];
}

static void run_sum(const struct interp_expr *s, struct node *n, int64_t count)
{
    for (int64_t l = 0; l < count; l++)
        n->ints[l] = n->i;
    for (int k = 0; k < n->nterms; k++) {
        const struct node *t = &s->nodes[n->term[k]];
        for (int64_t l = 0; l < count; l++)
            n->ints[l] += n->coef[k] * t->ints[t->varies ? l : 0];
    }
}

/* What an operator works on: the values of its arguments, which are one for all lanes (step 0) or one a lane (step 1),
 * and where its results go. */
struct operands {
    const struct node *x, *y;
    int64_t x_step, y_step, lanes;
    struct node *out;
};

/* Every operator: its kind, and its result from x and y, the arguments' values in one lane. */
#define REAL_OPERATORS(X)                                                                                              \
    INTERP_REALS(X)                                                                                                    \
    X(MIN, x < y ? x : y)                                                                                              \
    X(MAX, x > y ? x : y)
#define INT_OPERATORS(X)                                                                                               \
    X(ADD, x + y)                                                                                                      \
    X(SUB, x - y)                                                                                                      \
    X(MUL, x *y)                                                                                                       \
    X(DIV, y ? x / y : 0)                                                                                              \
    X(FLOORDIV, y > 0 ? floor_div(x, y) : 0)                                                                           \
    X(FLOORMOD, y > 0 ? floor_mod(x, y) : x)                                                                           \
    X(MIN, x < y ? x : y)                                                                                              \
    X(MAX, x > y ? x : y)                                                                                              \
    INTERP_COMPARISONS(X)                                                                                              \
    X(AND, x &&y)                                                                                                      \
    X(OR, x || y)                                                                                                      \
    X(NOT, !x)

/* A function for each of them: prefix_KIND. */
#define OPERATOR(prefix, id, type, values, results, expr)                                                              \
    static void prefix##_##id(const struct operands *o)                                                                \
    {                                                                                                                  \
        for (int64_t l = 0; l < o->lanes; l++) {                                                                       \
            const type x = o->x->values[o->x_step * l], y = o->y->values[o->y_step * l];                               \
            (void)y;                                                                                                   \
            o->out->results[l] = (expr);                                                                               \
        }                                                                                                              \
    }
#define REAL(id, expr) OPERATOR(real, id, double, reals, reals, expr)
#define REAL_COMPARISON(id, expr) OPERATOR(compare, id, double, reals, ints, expr)
#define INT(id, expr) OPERATOR(int, id, int64_t, ints, ints, expr)
REAL_OPERATORS(REAL)
INTERP_COMPARISONS(REAL_COMPARISON)
INT_OPERATORS(INT)

typedef void operator_fn(const struct operands *o);
static operator_fn *const ON_REALS[EXPR_COUNT] = {
#define X(id, expr) [EXPR_##id] = real_##id,
    REAL_OPERATORS(X)
#undef X
#define X(id, expr) [EXPR_##id] = compare_##id,
        INTERP_COMPARISONS(X)
#undef X
};
static operator_fn *const ON_INTS[EXPR_COUNT] = {
#define X(id, expr) [EXPR_##id] = int_##id,
    INT_OPERATORS(X)
#undef X
};

static void run_operator(const struct interp_expr *s, struct node *n, int64_t count)
{
    const struct node *x = &s->nodes[n->arg[0]], *y = n->arg[1] >= 0 ? &s->nodes[n->arg[1]] : x;
    operator_fn *run = (x->reals ? ON_REALS : ON_INTS)[n->kind];
    if (!run)
        bug("'%s' has '%s' on %s", s->op->name, expr_word((enum expr_kind)n->kind), x->reals ? "reals" : "integers");
    run(&(struct operands){.x = x, .y = y, .x_step = x->varies, .y_step = y->varies, .lanes = count, .out = n});
}

static void run_choice(const struct interp_expr *s, struct node *n, int64_t count)
{
    const struct node *c = &s->nodes[n->arg[0]];
    for (int64_t l = 0; l < count; l++) {
        const struct node *from = &s->nodes[n->arg[c->ints[c->varies ? l : 0] ? 1 : 2]];
        int64_t at = from->varies ? l : 0;
        if (n->reals)
            n->reals[l] = from->reals[at];
        else
            n->ints[l] = from->ints[at];
    }
}

static void run_cast(const struct interp_expr *s, struct node *n, int64_t count)
{
    const struct node *p = &s->nodes[n->arg[0]];
    for (int64_t l = 0; l < count; l++) {
        int64_t at = p->varies ? l : 0;
        if (n->reals)
            n->reals[l] = p->reals ? p->reals[at] : (double)p->ints[at];
        else
            n->ints[l] = p->reals ? (int64_t)p->reals[at] : p->ints[at];
    }
}

static void run_axis(const struct interp_expr *s, struct node *n, int64_t first, int64_t count)
{
    for (int64_t l = 0; l < count; l++)
        n->ints[l] = n->varies ? first + l : s->axes[n->i];
}

static void run_node(const struct interp_expr *s, struct node *n, int64_t first, int64_t lanes)
{
    int64_t count = n->varies ? lanes : 1;
    switch (n->kind) {
    case EXPR_INT:
        n->ints[0] = n->i;
        return;
    case EXPR_FLOAT:
        n->reals[0] = n->f;
        return;
    case EXPR_AXIS:
        run_axis(s, n, first, count);
        return;
    case NODE_SUM:
        run_sum(s, n, count);
        return;
    case EXPR_LOAD:
        run_load(s, n, count);
        return;
    case EXPR_SELECT:
    case EXPR_IF:
        run_choice(s, n, count);
        return;
    case EXPR_CAST:
        run_cast(s, n, count);
        return;
    default:
        run_operator(s, n, count);
    }
}

static const struct node *run(struct interp_expr *s, int64_t first, int64_t lanes)
{
    bool again = s->made_at == first && s->made_n == lanes;
    for (int i = 0; i < s->nnodes; i++)
        if (!again || !s->nodes[i].only_lane)
            run_node(s, &s->nodes[i], first, lanes);
    s->made_at = first;
    s->made_n = lanes;
    return &s->nodes[s->root];
}

static double value_at(const struct node *n, int64_t l)
{
    int64_t at = n->varies ? l : 0;
    return n->reals ? n->reals[at] : (double)n->ints[at];
}

static double start_of(const struct op *op)
{
    return op->reducer == REDUCE_MAX ? -INFINITY : op->reducer == REDUCE_MIN ? INFINITY : 0;
}

static double combine(enum reducer r, double x, double y)
{
    if (r == REDUCE_SUM)
        return x + y;
    return r == REDUCE_MAX ? (y > x ? y : x) : (y < x ? y : x);
}

/* Steps the reduce axes other than the lane axis; false when all were visited. */
static bool next_reduce(struct interp_expr *s)
{
    for (int i = s->op->nspatial + s->op->nreduce - 1; i >= s->op->nspatial; i--) {
        if (i == s->lane)
            continue;
        if (++s->axes[i] < s->op->axes[i].extent)
            return true;
        s->axes[i] = 0;
    }
    return false;
}

static void set_axes(struct interp_expr *s, const int64_t *spatial)
{
    memset(s->axes, 0, sizeof s->axes);
    memcpy(s->axes, spatial, (size_t)s->op->nspatial * sizeof spatial[0]);
}

double interp_expr_point(struct interp_expr *s, const int64_t *spatial)
{
    set_axes(s, spatial);
    if (s->op->reducer == REDUCE_NONE)
        return value_at(run(s, 0, 1), 0);
    double acc = start_of(s->op);
    int64_t extent = s->lane < 0 ? 1 : s->op->axes[s->lane].extent;
    do {
        for (int64_t first = 0; first < extent; first += INTERP_LANES) {
            int64_t lanes = extent - first < INTERP_LANES ? extent - first : INTERP_LANES;
            const struct node *v = run(s, first, lanes);
            for (int64_t l = 0; l < lanes; l++)
                acc = combine(s->op->reducer, acc, value_at(v, l));
        }
    } while (next_reduce(s));
    return acc;
}

static void row_part(struct interp_expr *s, const int64_t *spatial, int64_t first, int64_t lanes, double *out,
                     int64_t step)
{
    set_axes(s, spatial);
    if (s->op->reducer == REDUCE_NONE) {
        const struct node *v = run(s, first, lanes);
        for (int64_t l = 0; l < lanes; l++)
            out[l * step] = value_at(v, l);
        return;
    }
    for (int64_t l = 0; l < lanes; l++)
        out[l * step] = start_of(s->op);
    do {
        const struct node *v = run(s, first, lanes);
        for (int64_t l = 0; l < lanes; l++)
            out[l * step] = combine(s->op->reducer, out[l * step], value_at(v, l));
    } while (next_reduce(s));
}

void interp_expr_row(struct interp_expr *s, const int64_t *spatial, double *out, int64_t step)
{
    int64_t extent = s->op->axes[s->lane].extent;
    for (int64_t first = 0; first < extent; first += INTERP_LANES) {
        int64_t lanes = extent - first < INTERP_LANES ? extent - first : INTERP_LANES;
        row_part(s, spatial, first, lanes, out + first * step, step);
    }
}
