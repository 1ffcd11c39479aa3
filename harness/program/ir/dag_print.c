/* SPDX-License-Identifier: Apache-2.0 */
/* dag_print: TVM's notation: "(a + b)" but "(a*b)", "floordiv(a, b)", floats as "%g" with an f behind, "(bool)1",
 * "name(i, j) += source" for sums and "max=" for maxima. */
#include "harness/program/ir/dag_print.h"

static void print_expr(const struct dag *d, const struct op *op, const struct expr *e, struct text *out);

static void print_list(const struct dag *d, const struct op *op, const struct expr *e, struct text *out)
{
    for (int i = 0; i < e->nargs; i++) {
        if (i)
            text_add(out, ", ");
        print_expr(d, op, e->args[i], out);
    }
}

static void print_call(const struct dag *d, const struct op *op, const struct expr *e, const char *word,
                       struct text *out)
{
    text_add(out, word);
    text_char(out, '(');
    print_list(d, op, e, out);
    text_char(out, ')');
}

static void print_load(const struct dag *d, const struct op *op, const struct expr *e, struct text *out)
{
    if (d && e->i < d->nids && d->position[e->i] >= 0)
        text_add(out, d->ops[d->position[e->i]]->name);
    else
        text_printf(out, "#%d", (int)e->i);
    text_char(out, '[');
    print_list(d, op, e, out);
    text_char(out, ']');
}

static void print_number(const struct expr *e, struct text *out)
{
    if (e->kind == EXPR_FLOAT)
        text_printf(out, e->dtype == DTYPE_F32 ? "%gf" : "%g", e->f);
    else if (e->dtype == DTYPE_I32)
        text_int(out, e->i);
    else
        text_printf(out, "(%s)%lld", dtype_name(e->dtype), (long long)e->i);
}

static void print_infix(const struct dag *d, const struct op *op, const struct expr *e, struct text *out)
{
    bool tight = e->kind == EXPR_MUL || e->kind == EXPR_DIV;
    text_char(out, '(');
    print_expr(d, op, e->args[0], out);
    text_printf(out, tight ? "%s" : " %s ", expr_word(e->kind));
    print_expr(d, op, e->args[1], out);
    text_char(out, ')');
}

static void print_expr(const struct dag *d, const struct op *op, const struct expr *e, struct text *out)
{
    switch (e->kind) {
    case EXPR_INT:
    case EXPR_FLOAT:
        print_number(e, out);
        return;
    case EXPR_AXIS:
        text_add(out, e->i < op->nspatial + op->nreduce ? op->axes[e->i].name : "?");
        return;
    case EXPR_LOAD:
        print_load(d, op, e, out);
        return;
    case EXPR_CAST:
        print_call(d, op, e, dtype_name(e->dtype), out);
        return;
    case EXPR_NOT:
        text_char(out, '!');
        print_expr(d, op, e->args[0], out);
        return;
    default:
        break;
    }
    const char *word = expr_word(e->kind);
    bool named = (word[0] >= 'a' && word[0] <= 'z');
    if (named)
        print_call(d, op, e, word, out);
    else
        print_infix(d, op, e, out);
}

static void print_axes(const struct op *op, struct text *out)
{
    for (int i = 0; i < op->nspatial; i++)
        text_printf(out, "%s%s", i ? ", " : "", op->axes[i].name);
}

void op_print(const struct dag *d, const struct op *op, struct text *out)
{
    static const char *const ASSIGN[] = {
        [REDUCE_NONE] = " = ", [REDUCE_SUM] = " += ", [REDUCE_MAX] = " max= ", [REDUCE_MIN] = " min= "};
    text_add(out, op->name);
    if (op->kind == OP_PLACEHOLDER) {
        text_add(out, " = PLACEHOLDER [");
        for (int i = 0; i < op->nspatial; i++)
            text_printf(out, "%s%lld", i ? ", " : "", (long long)op->axes[i].extent);
        text_char(out, ']');
        return;
    }
    text_char(out, '(');
    print_axes(op, out);
    text_char(out, ')');
    text_add(out, ASSIGN[op->reducer]);
    print_expr(d, op, op->body, out);
}

void dag_print(const struct dag *d, struct text *out)
{
    for (int i = 0; i < d->nops; i++) {
        op_print(d, d->ops[i], out);
        text_char(out, '\n');
    }
}
