/* SPDX-License-Identifier: Apache-2.0 */
/* op_count: the operation counter behind features 0..15 (harness/doc/ansor.md, "Feature definitions"; TVM v0.16
 * feature.cc, class MathOpCounter).
 *
 * TVM counts nodes of simplified expression trees. Ours are affine forms, so the tree has to be imagined: positive
 * terms first, then the constant, then what is subtracted; a coefficient other than one is a multiplication. A constant
 * beside a form in a comparison was moved to the other side. What the loop ranges prove is gone already: lower folds
 * it. Pure calls, if_then_else among them, are one math function each. */
#include "harness/program/features/op_count.h"

/* modulus > 0: the form stands under "% modulus", where TVM reduces the coefficients. */
static void count_terms(const struct atoms *p, const struct affine *f, int64_t modulus, int counts[OP_COUNT_KINDS])
{
    int positive = f->base > 0;
    for (int i = 0; i < f->n; i++) {
        const struct term *t = &f->terms[i];
        const struct atom *atom = &p->at[t->atom];
        int64_t coef = modulus > 0 && t->coef > 0 ? t->coef % modulus : t->coef;
        positive += coef > 0;
        counts[OP_COUNT_INT + OP_COUNT_MUL] += coef != 1 && coef != -1;
        if (atom->kind != ATOM_LOOP) {
            counts[OP_COUNT_INT + OP_COUNT_DIVMOD]++;
            count_terms(p, &atom->of, atom->kind == ATOM_MOD ? atom->by : 0, counts);
        }
    }
    if (f->n > 0) /* n parts need n - 1 signs; "0 - x" when nothing is positive */
        counts[OP_COUNT_INT + OP_COUNT_ADDSUB] += f->n - 1 + (f->base != 0) + (positive == 0 ? 1 : 0);
}

static void count_index(const struct atoms *p, const struct affine *f, int counts[OP_COUNT_KINDS])
{
    count_terms(p, f, 0, counts);
}

static bool is_single(const struct affine *f)
{
    return f->n == 1 && f->base == 0 && f->terms[0].coef == 1;
}

static void count_value(const struct atoms *p, const struct value *v, int counts[OP_COUNT_KINDS]);

/* A side of a comparison. Its constant has moved over to the other side, and so have a lone factor and a lone divisor:
 * x*c < k is x < k/c, x//c < k is x < k*c, and x//c%d < k, which TVM writes x%(c*d)//c < k, is x%(c*d) < k*c. */
static void count_operand(const struct atoms *p, const struct value *v, int counts[OP_COUNT_KINDS])
{
    if (v->kind != EXPR_INDEX) {
        count_value(p, v, counts);
        return;
    }
    struct affine f = *v->index;
    for (f.base = 0; f.n == 1 && f.terms[0].coef > 0; f.base = 0) {
        const struct atom *atom = &p->at[f.terms[0].atom];
        if (atom->kind == ATOM_LOOP)
            return;
        if (atom->kind == ATOM_MOD) {
            const struct affine *of = &atom->of;
            bool divided = is_single(of) && p->at[of->terms[0].atom].kind == ATOM_DIV;
            counts[OP_COUNT_INT + OP_COUNT_DIVMOD]++;
            count_terms(p, divided ? &p->at[of->terms[0].atom].of : of, atom->by, counts);
            return;
        }
        f = atom->of;
    }
    count_index(p, &f, counts);
}

static bool is_comparison(enum expr_kind k)
{
    return k >= EXPR_LT && k <= EXPR_NE;
}

/* Which count a node of this kind goes to; -1: none (constants, casts). */
static int node_kind(const struct value *v)
{
    static const int KINDS[EXPR_COUNT] = {
        [EXPR_ADD] = 1 + OP_COUNT_ADDSUB,      [EXPR_SUB] = 1 + OP_COUNT_ADDSUB,     [EXPR_MUL] = 1 + OP_COUNT_MUL,
        [EXPR_DIV] = 1 + OP_COUNT_DIVMOD,      [EXPR_MIN] = 1 + OP_COUNT_CMP,        [EXPR_MAX] = 1 + OP_COUNT_CMP,
        [EXPR_FLOORDIV] = 1 + OP_COUNT_DIVMOD, [EXPR_FLOORMOD] = 1 + OP_COUNT_DIVMOD};
    int of_type = dtype_is_float(v->nargs ? v->args[0]->dtype : v->dtype) ? 0 : OP_COUNT_INT;
    if (v->kind >= EXPR_AND && v->kind <= EXPR_NOT)
        return OP_COUNT_BOOL;
    if (v->kind == EXPR_SELECT)
        return OP_COUNT_SELECT;
    if (v->kind == EXPR_IF || (v->kind >= EXPR_EXP && v->kind <= EXPR_RSQRT)) /* by the result's type */
        return (dtype_is_float(v->dtype) ? 0 : OP_COUNT_INT) + OP_COUNT_MATH;
    if (is_comparison(v->kind))
        return of_type + OP_COUNT_CMP;
    return KINDS[v->kind] ? of_type + KINDS[v->kind] - 1 : -1;
}

/* A number that TVM folds: a constant, a cast one, products and quotients of such. */
static bool is_number(const struct value *v, double *out)
{
    double x, y;
    if (v->kind == EXPR_FLOAT) {
        *out = v->f;
        return true;
    }
    if (v->kind == EXPR_INDEX && affine_is_const(*v->index)) {
        *out = (double)v->index->base;
        return true;
    }
    if (v->kind == EXPR_CAST)
        return is_number(v->args[0], out);
    if ((v->kind != EXPR_MUL && v->kind != EXPR_DIV) || !is_number(v->args[0], &x) || !is_number(v->args[1], &y))
        return false;
    *out = v->kind == EXPR_MUL ? x * y : x / y;
    return true;
}

/* x / number is x * (1 / number) in TVM, and x when the number is 1. */
static bool count_division(const struct atoms *p, const struct value *v, int counts[OP_COUNT_KINDS])
{
    double by;
    if (v->kind != EXPR_DIV || !dtype_is_float(v->dtype) || !is_number(v->args[1], &by))
        return false;
    counts[OP_COUNT_MUL] += by != 1;
    count_value(p, v->args[0], counts);
    return true;
}

/* An element of a constant matrix: a choice by indices that reads nothing. */
static bool reads_nothing(const struct value *v)
{
    if (v->kind == EXPR_LOAD)
        return false;
    for (int i = 0; i < v->nargs; i++)
        if (!reads_nothing(v->args[i]))
            return false;
    return true;
}

static bool is_matrix_element(const struct value *v)
{
    return v->kind == EXPR_SELECT && dtype_is_float(v->dtype) && reads_nothing(v);
}

/* The value with constant matrices taken for 1. */
static const struct value *without_matrices(const struct value *v)
{
    while (v->kind == EXPR_MUL && (is_matrix_element(v->args[0]) || is_matrix_element(v->args[1])))
        v = v->args[is_matrix_element(v->args[0])];
    return v;
}

static void count_value(const struct atoms *p, const struct value *v, int counts[OP_COUNT_KINDS])
{
    if (v->kind == EXPR_INDEX) {
        count_index(p, v->index, counts);
        return;
    }
    if (v->kind == EXPR_LOAD) {
        for (int d = 0; d < v->buffer->ndim; d++)
            count_index(p, &v->index[d], counts);
        return;
    }
    if (count_division(p, v, counts))
        return;
    int kind = node_kind(v);
    if (kind >= 0)
        counts[kind]++;
    for (int i = 0; i < v->nargs; i++)
        if (is_comparison(v->kind))
            count_operand(p, v->args[i], counts);
        else
            count_value(p, v->args[i], counts);
}

void op_count_store(const struct atoms *p, const struct stmt *store, int counts[OP_COUNT_KINDS])
{
    const struct value *v = store->value, *source = store->is_update ? v->args[1] : v;
    if (store->is_update && source->kind == EXPR_IF && str_ends(store->buffer->name, ".rf")) {
        count_value(p, source->args[1], counts);
        count_value(p, v->args[0], counts);
        counts[node_kind(v)]++;
        return;
    }
    count_value(p, v, counts);
}

void op_count_matrix_store(const struct atoms *p, const struct stmt *store, int counts[OP_COUNT_KINDS])
{
    const struct value *v = store->value, *source = store->is_update ? without_matrices(v->args[1]) : v;
    if (!store->is_update || source == v->args[1]) {
        op_count_store(p, store, counts);
        return;
    }
    count_value(p, v->args[0], counts);
    count_value(p, source, counts);
    counts[node_kind(v)]++;
}

int op_count_float(const int counts[OP_COUNT_KINDS])
{
    int sum = 0;
    for (int i = OP_COUNT_MAD; i < OP_COUNT_INT; i++)
        sum += counts[i];
    return sum;
}
