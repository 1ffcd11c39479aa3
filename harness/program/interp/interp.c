/* SPDX-License-Identifier: Apache-2.0 */
/* interp: evaluates the unscheduled graph in double precision. A tensor is made whole at its first use when that is
 * cheap (padding, other element-wise stages in front of the reductions, anything small); otherwise its elements are
 * computed when asked for and remembered. Tensors too large to remember are computed each time. */
#include "harness/program/interp/interp.h"

#include "harness/base/err.h"
#include "harness/program/interp/interp_expr.h"

#define CHEAP_WORK ((double)(1 << 22))
#define LARGEST_WHOLE ((int64_t)1 << 26)
#define LARGEST_REMEMBERED ((int64_t)1 << 24)

struct stage_values {
    bool whole;           /* to be made whole before anybody reads it */
    bool filled;          /* and it is */
    double *values;       /* whole, or remembered elements; NULL for arguments and when neither */
    unsigned char *known; /* remembered: which */
    double work;          /* of it and everything behind it */
    bool has_reduction;   /* it or something behind it */
    struct interp_expr *point, *row;
};

struct interp {
    struct arena *arena;
    const struct dag *dag;
    struct interp_expr_tensor *tensors;
    struct stage_values *stages;
};

static int longest_axis(const struct op *op, int first, int n)
{
    int best = -1;
    for (int i = first; i < first + n; i++)
        if (best < 0 || op->axes[i].extent > op->axes[best].extent)
            best = i;
    return best;
}

static void coordinates(const struct op *op, int64_t element, int64_t *at)
{
    for (int d = op->nspatial - 1; d >= 0; d--) {
        at[d] = element % op->axes[d].extent;
        element /= op->axes[d].extent;
    }
}

static void fill(struct interp *in, int position)
{
    const struct op *op = in->dag->ops[position];
    struct stage_values *v = &in->stages[position];
    int reduce = longest_axis(op, op->nspatial, op->nreduce), lane = longest_axis(op, 0, op->nspatial);
    int64_t n = in->tensors[position].elements, at[64] = {0};
    if (lane < 0 || (reduce >= 0 && op->axes[reduce].extent > 2 * op->axes[lane].extent)) {
        for (int64_t e = 0; e < n; e++) {
            coordinates(op, e, at);
            v->values[e] = interp_expr_point(v->point, at);
        }
        return;
    }
    int64_t step = 1, extent = op->axes[lane].extent;
    for (int d = lane + 1; d < op->nspatial; d++)
        step *= op->axes[d].extent;
    v->row = interp_expr_make(in->arena, in->dag, position, lane, in->tensors);
    for (int64_t outer = 0; outer < n; outer += step * extent)
        for (int64_t inner = 0; inner < step; inner++) {
            coordinates(op, outer + inner, at);
            interp_expr_row(v->row, at, v->values + outer + inner, step);
        }
}

/* Makes sure that the body is compiled and that whatever it reads whole is there. */
static void make_ready(struct interp *in, int position)
{
    const struct op *op = in->dag->ops[position];
    struct stage_values *v = &in->stages[position];
    if (op->kind != OP_COMPUTE || v->point)
        return;
    const struct op_analysis *f = &in->dag->analysis[position];
    for (int i = 0; i < f->nproducers; i++)
        make_ready(in, f->producers[i]);
    v->point = interp_expr_make(in->arena, in->dag, position, longest_axis(op, op->nspatial, op->nreduce), in->tensors);
    if (!v->whole)
        return;
    v->values = ARENA_ARRAY(in->arena, double, in->tensors[position].elements);
    fill(in, position);
    v->filled = true;
    in->tensors[position].data = v->values;
    in->tensors[position].type = DTYPE_F64;
}

static double get(void *with, int position, int64_t element)
{
    struct interp *in = with;
    struct stage_values *v = &in->stages[position];
    int64_t at[64];
    if (v->filled)
        return v->values[element];
    if (v->known && v->known[element])
        return v->values[element];
    coordinates(in->dag->ops[position], element, at);
    double value = interp_expr_point(v->point, at);
    if (!v->values && in->tensors[position].elements <= LARGEST_REMEMBERED) {
        v->values = ARENA_ARRAY(in->arena, double, in->tensors[position].elements);
        v->known = ARENA_ARRAY(in->arena, unsigned char, in->tensors[position].elements);
    }
    if (v->known) {
        v->values[element] = value;
        v->known[element] = 1;
    }
    return value;
}

static void plan_stage(struct interp *in, int position)
{
    const struct op *op = in->dag->ops[position];
    struct stage_values *v = &in->stages[position];
    const struct op_analysis *f = &in->dag->analysis[position];
    int64_t elements = 1;
    for (int i = 0; i < op->nspatial; i++)
        elements *= op->axes[i].extent;
    in->tensors[position] =
        (struct interp_expr_tensor){.type = op->dtype, .elements = elements, .get = get, .with = in};
    if (op->kind != OP_COMPUTE)
        return;
    v->has_reduction = op->nreduce > 0;
    v->work = (double)elements;
    for (int i = 0; i < op->nreduce; i++)
        v->work *= (double)op->axes[op->nspatial + i].extent;
    for (int i = 0; i < f->nproducers; i++) {
        v->work += in->stages[f->producers[i]].work;
        v->has_reduction |= in->stages[f->producers[i]].has_reduction;
    }
    v->whole = elements <= LARGEST_WHOLE && (!v->has_reduction || v->work <= CHEAP_WORK);
}

struct interp *interp_open(const struct task *t, const void *const *args)
{
    struct arena *a = arena_open("interp");
    struct interp *in = ARENA_NEW(a, struct interp);
    *in = (struct interp){.arena = a, .dag = t->dag};
    in->tensors = ARENA_ARRAY(a, struct interp_expr_tensor, t->dag->nops);
    in->stages = ARENA_ARRAY(a, struct stage_values, t->dag->nops);
    for (int i = 0; i < t->dag->nops; i++)
        plan_stage(in, i);
    for (int i = 0; i < t->nargs - 1; i++)
        in->tensors[t->dag->position[t->args[i]]].data = args[i];
    return in;
}

void interp_close(struct interp *in)
{
    if (!in)
        return;
    arena_close(in->arena); /* in lies in it */
}

double interp_point(struct interp *in, int64_t element)
{
    int last = in->dag->nops - 1;
    if (element < 0 || element >= in->tensors[last].elements)
        bug("element %lld of an output of %lld", (long long)element, (long long)in->tensors[last].elements);
    make_ready(in, last);
    return get(in, last, element);
}

void interp_dag(struct interp *in, double *output)
{
    int last = in->dag->nops - 1;
    for (int i = 0; i <= last; i++)
        if (!in->stages[i].point && in->tensors[i].elements <= LARGEST_WHOLE)
            in->stages[i].whole = true;
    make_ready(in, last);
    for (int64_t e = 0; e < in->tensors[last].elements; e++)
        output[e] = get(in, last, e);
}
