/* SPDX-License-Identifier: Apache-2.0 */
/* reference_source: prints the nest of the unscheduled task. Nothing of it goes through a code generator. */
#include "harness/report/best/reference_source.h"

#include "harness/program/ir/affine.h"
#include "harness/program/lower/bound.h"
#include "harness/program/lower/lower.h"
#include "harness/report/best/tensor_map.h"

#include <math.h>
#include <string.h>

struct printer {
    const struct nest *nest;
    struct tensor_map *maps; /* of the arguments */
    struct text *out;
    int indent;
    bool failed;
};

static const char HEAD[] =
    "#include <math.h>\n#include <stdint.h>\n#include <stdlib.h>\n\n"
    "#define UNUSED __attribute__((unused))\n"
    "static inline UNUSED int64_t floor_div(int64_t a, int64_t b)\n{\n    return a / b - (a % b < 0);\n}\n"
    "static inline UNUSED int64_t floor_mod(int64_t a, int64_t b)\n{\n    return a - floor_div(a, b) * b;\n}\n"
    "static UNUSED void *memory(size_t bytes)\n{\n    void *p = malloc(bytes);\n    if (!p)\n        abort();\n"
    "    return p;\n}\n\n";

static void form(struct printer *p, struct affine f);

static void atom(struct printer *p, int i)
{
    const struct atom *a = &p->nest->atoms->at[i];
    char name[64];
    if (a->kind == ATOM_LOOP) {
        c_name(a->name, name, sizeof name);
        text_printf(p->out, "%s_%d", name, i);
        return;
    }
    text_add(p->out, a->kind == ATOM_DIV ? "floor_div(" : "floor_mod(");
    form(p, a->of);
    text_printf(p->out, ", %lld)", (long long)a->by);
}

static void form(struct printer *p, struct affine f)
{
    if (f.n == 0)
        text_printf(p->out, "%lld", (long long)f.base);
    for (int i = 0; i < f.n; i++) {
        text_add(p->out, i ? " + " : "");
        atom(p, f.terms[i].atom);
        if (f.terms[i].coef != 1)
            text_printf(p->out, " * %lld", (long long)f.terms[i].coef);
    }
    if (f.n && f.base)
        text_printf(p->out, " %c %lld", f.base < 0 ? '-' : '+', (long long)(f.base < 0 ? -f.base : f.base));
}

/* Tensors inside may share a name. */
static void tensor(struct printer *p, const struct buffer *b)
{
    char name[64];
    c_name(b->name, name, sizeof name);
    text_add(p->out, name);
    if (b->role != BUFFER_ARG)
        text_printf(p->out, "_%d", b->id);
}

static void element(struct printer *p, const struct buffer *b, const struct affine *index)
{
    tensor(p, b);
    text_add(p->out, "[");
    form(p, b->role == BUFFER_ARG ? tensor_map_offset(&p->maps[b->id], p->nest->atoms, index)
                                  : buffer_offset(p->nest->atoms, b, index));
    text_add(p->out, "]");
}

static void value(struct printer *p, const struct value *v);

static void call(struct printer *p, const struct value *v, const char *name)
{
    text_printf(p->out, "%s%s(", name, v->dtype == DTYPE_F32 ? "f" : "");
    for (int i = 0; i < v->nargs; i++) {
        text_add(p->out, i ? ", " : "");
        value(p, v->args[i]);
    }
    text_add(p->out, ")");
}

/* Numbers of C: a choice for min and max of integers, a function for those of floats. */
static void extreme(struct printer *p, const struct value *v)
{
    if (dtype_is_float(v->dtype)) {
        call(p, v, v->kind == EXPR_MIN ? "fmin" : "fmax");
        return;
    }
    text_add(p->out, "(");
    value(p, v->args[0]);
    text_add(p->out, v->kind == EXPR_MIN ? " < " : " > ");
    value(p, v->args[1]);
    text_add(p->out, " ? ");
    value(p, v->args[0]);
    text_add(p->out, " : ");
    value(p, v->args[1]);
    text_add(p->out, ")");
}

static const char *function_of(enum expr_kind k)
{
    static const char *const NAMES[EXPR_COUNT] = {
        [EXPR_EXP] = "exp", [EXPR_LOG] = "log", [EXPR_SQRT] = "sqrt", [EXPR_TANH] = "tanh", [EXPR_ERF] = "erf"};
    return NAMES[k];
}

static void around(struct printer *p, const char *before, const struct value *v, const char *after)
{
    text_add(p->out, before);
    value(p, v);
    text_add(p->out, after);
}

static const char *c_word(enum dtype t)
{
    return t == DTYPE_F32 ? "float" : t == DTYPE_F64 ? "double" : t == DTYPE_I64 ? "int64_t" : "int32_t";
}

static void number(struct printer *p, const struct value *v)
{
    if (isinf(v->f))
        text_add(p->out, v->f < 0 ? "-INFINITY" : "INFINITY");
    else
        text_printf(p->out, strpbrk(arena_printf(p->nest->arena, "%.9g", v->f), ".e") ? "%.*g%s" : "%.*g.0%s",
                    v->dtype == DTYPE_F32 ? 9 : 17, v->f, v->dtype == DTYPE_F32 ? "f" : "");
}

static void value(struct printer *p, const struct value *v)
{
    bool is_float = v->dtype == DTYPE_F32;
    switch (v->kind) {
    case EXPR_INT:
        text_printf(p->out, "%lld", (long long)v->i);
        break;
    case EXPR_FLOAT:
        number(p, v);
        break;
    case EXPR_INDEX:
        text_add(p->out, "(");
        form(p, *v->index);
        text_add(p->out, ")");
        break;
    case EXPR_LOAD:
        element(p, v->buffer, v->index);
        break;
    case EXPR_MIN:
    case EXPR_MAX:
        extreme(p, v);
        break;
    case EXPR_FLOORDIV:
    case EXPR_FLOORMOD:
        around(p, v->kind == EXPR_FLOORDIV ? "floor_div(" : "floor_mod(", v->args[0], ", ");
        around(p, "", v->args[1], ")");
        break;
    case EXPR_NOT:
        around(p, "!(", v->args[0], ")");
        break;
    case EXPR_SELECT:
    case EXPR_IF:
        around(p, "(", v->args[0], " ? ");
        around(p, "", v->args[1], " : ");
        around(p, "", v->args[2], ")");
        break;
    case EXPR_SIGMOID:
        around(p, is_float ? "(1.0f / (1.0f + expf(-" : "(1.0 / (1.0 + exp(-", v->args[0], ")))");
        break;
    case EXPR_RSQRT:
        around(p, is_float ? "(1.0f / sqrtf(" : "(1.0 / sqrt(", v->args[0], "))");
        break;
    case EXPR_CAST:
        text_printf(p->out, "(%s)", c_word(v->dtype));
        around(p, "(", v->args[0], ")");
        break;
    default:
        if (function_of(v->kind)) {
            call(p, v, function_of(v->kind));
        } else if (v->nargs == 2) {
            around(p, "(", v->args[0], " ");
            text_printf(p->out, "%s ", expr_word(v->kind));
            around(p, "", v->args[1], ")");
        } else {
            p->failed = true;
        }
    }
}

static void line(struct printer *p)
{
    for (int i = 0; i < p->indent; i++)
        text_add(p->out, "    ");
}

static void statement(struct printer *p, const struct stmt *s);

static void body(struct printer *p, const struct stmt *s)
{
    p->indent++;
    for (int i = 0; i < s->nbody; i++)
        statement(p, s->body[i]);
    p->indent--;
    line(p);
    text_add(p->out, "}\n");
}

static void side(struct printer *p, const struct guard *g, const char *sign, int64_t limit, int *n)
{
    if (limit == INT64_MIN || limit == INT64_MAX)
        return;
    text_add(p->out, (*n)++ ? " && " : "");
    form(p, g->form);
    text_printf(p->out, " %s %lld", sign, (long long)limit);
}

static void guard(struct printer *p, const struct stmt *s)
{
    int n = 0;
    text_add(p->out, "if (");
    for (int i = 0; i < s->nguards; i++) {
        side(p, &s->guards[i], ">=", s->guards[i].lo, &n);
        side(p, &s->guards[i], "<", s->guards[i].hi, &n);
    }
    text_add(p->out, n ? ") {\n" : "1) {\n");
    body(p, s);
}

static void allocation(struct printer *p, const struct stmt *s)
{
    int64_t n = 1;
    for (int d = 0; d < s->buffer->ndim; d++)
        n *= s->buffer->extent[d];
    line(p);
    text_printf(p->out, "%s *", c_word(s->buffer->dtype));
    tensor(p, s->buffer);
    text_printf(p->out, " = memory(%lld * sizeof(%s));\n", (long long)n, c_word(s->buffer->dtype));
    for (int i = 0; i < s->nbody; i++)
        statement(p, s->body[i]);
    line(p);
    text_add(p->out, "free(");
    tensor(p, s->buffer);
    text_add(p->out, ");\n");
}

static void statement(struct printer *p, const struct stmt *s)
{
    if (s->kind == STMT_ALLOC) {
        allocation(p, s);
        return;
    }
    if (s->kind == STMT_SEQ) {
        for (int i = 0; i < s->nbody; i++)
            statement(p, s->body[i]);
        return;
    }
    line(p);
    if (s->kind == STMT_GUARD) {
        guard(p, s);
    } else if (s->kind == STMT_STORE) {
        element(p, s->buffer, s->index);
        around(p, " = ", s->value, ";\n");
    } else {
        text_add(p->out, "for (int64_t ");
        atom(p, s->atom);
        text_add(p->out, " = 0; ");
        atom(p, s->atom);
        text_printf(p->out, " < %lld; ", (long long)s->extent);
        atom(p, s->atom);
        text_add(p->out, "++) {\n");
        body(p, s);
    }
}

void reference_prototype(const struct task *t, const struct nest *n, const char *name, struct text *out)
{
    struct tensor_map m;
    text_printf(out, "void %s_reference(", name);
    for (int i = 0; i < t->nargs; i++) {
        tensor_map_of(t, n, i, &m);
        text_printf(out, "%s%s%s *%s", i ? ", " : "", i < t->nargs - 1 ? "const " : "", m.type, m.name);
    }
    text_add(out, ")");
}

bool reference_source(const struct task *t, const char *name, struct text *out, struct err *err)
{
    struct arena *a = arena_open("reference");
    struct tensor_map *maps = ARENA_ARRAY(a, struct tensor_map, t->nargs);
    struct nest *n;
    struct state *s = state_new(a, t);
    struct printer p = {.out = out, .maps = maps, .indent = 1};
    bool fine = bound_infer(s, err) && lower(a, s, LAYOUT_NONE, &n, err);
    if (fine) {
        for (int i = 0; i < t->nargs; i++)
            tensor_map_of(t, n, i, &maps[i]);
        p.nest = n;
        text_printf(out, "/* %s_reference: %s, as plain loops over plain tensors: %s */\n%s", name, t->name, t->spec,
                    HEAD);
        text_printf(out, "#include \"%s.h\"\n\n", name);
        reference_prototype(t, n, name, out);
        text_add(out, "\n{\n");
        statement(&p, n->root);
        text_add(out, "}\n");
        fine = !p.failed || err_set(err, "the reference has an expression that is not known here");
    }
    arena_close(a);
    return fine;
}
