/* SPDX-License-Identifier: Apache-2.0 */
/* gpu_expr: as TVM's CodeGenC and CodeGenCUDA print expressions. A vector is stored as one where its first element is
 * known to be aligned to the whole (TVM: ModularSet); what is stored is one load, if that is so of the load too, else
 * the vector of its elements. Deviation: TVM computes on vectors that were loaded as such; the elements of an
 * expression are loaded one by one here. Only copies are vectors in the sketches. */
#include "targets/gpu/gpu_expr.h"

#include "harness/program/ir/half.h"
#include "targets/gpu/gpu_index.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void number_text(struct gpu_emitter *em, const struct value *v, struct text *out)
{
    if (v->dtype == DTYPE_F16) {
        text_int(out, half_bits(v->f));
        return;
    }
    if (!isfinite(v->f))
        text_add(out, isnan(v->f) ? "(0.0f / 0.0f)" : v->f > 0 ? "(1.0f / 0.0f)" : "(-1.0f / 0.0f)");
    else {
        char digits[40];
        snprintf(digits, sizeof digits, v->dtype == DTYPE_F64 ? "%.17g" : "%.9g", v->f);
        text_printf(out, "%s%s%s", digits, strpbrk(digits, ".e") ? "" : ".0", v->dtype == DTYPE_F64 ? "" : "f");
    }
    if (v->dtype != DTYPE_F64 && v->dtype != DTYPE_F32)
        gpu_fail(em, "a real number of type %s", dtype_name(v->dtype));
}

static void form_text(struct gpu_emitter *em, struct affine f, enum dtype t, struct text *out)
{
    if (t == DTYPE_F32 || t == DTYPE_F64)
        text_printf(out, "(%s)", dialect_type(em->dialect, t));
    gpu_index_text(em, gpu_index_known(em, f), out);
}

void gpu_expr_place(struct gpu_emitter *em, const struct buffer *b, const struct affine *index, struct text *out)
{
    if (!em->storage[b->id].placed)
        gpu_fail(em, "tensor '%s' is used where it does not exist", b->name);
    em->storage[b->id].used = true;
    text_printf(out, "%s[", em->storage[b->id].name);
    gpu_index_text(em, gpu_index_now(em, b, index), out);
    text_char(out, ']');
}

/* "(x word y word z)"; words NULL: commas. */
static void joined(struct gpu_emitter *em, const struct value *const *args, int n, const char *const *words,
                   struct text *out)
{
    text_char(out, '(');
    for (int i = 0; i < n; i++) {
        text_add(out, i == 0 ? "" : words ? words[i - 1] : ", ");
        gpu_expr_text(em, args[i], out);
    }
    text_char(out, ')');
}

static void call(struct gpu_emitter *em, const char *name, const struct value *v, struct text *out)
{
    text_add(out, name);
    joined(em, v->args, v->nargs, NULL, out);
}

/* 1 / (1 + exp(0 - x)), and 1 / sqrt(x): TVM's legalisation (src/target/intrin_rule.cc). */
static void reciprocal(struct gpu_emitter *em, const struct value *v, struct text *out)
{
    bool wide = v->dtype == DTYPE_F64, sigmoid = v->kind == EXPR_SIGMOID;
    const char *f = wide ? "" : "f";
    text_printf(out, "(1.0%s / ", f);
    if (sigmoid)
        text_printf(out, "(1.0%s + ", f);
    text_printf(out, "%s(", em->dialect->function[sigmoid ? EXPR_EXP : EXPR_SQRT][wide]);
    if (sigmoid)
        text_printf(out, "0.0%s - ", f);
    gpu_expr_text(em, v->args[0], out);
    text_add(out, sigmoid ? ")))" : "))");
}

static void binary(struct gpu_emitter *em, const struct value *v, struct text *out)
{
    const struct value *x = v->args[0], *y = v->args[1];
    bool extreme = v->kind == EXPR_MIN || v->kind == EXPR_MAX;
    char word[16];
    if (extreme && dtype_is_float(v->dtype)) {
        call(em, expr_word(v->kind), v, out);
        return;
    }
    if (extreme) { /* integers, whose types may differ */
        const char *words[] = {v->kind == EXPR_MIN ? " < " : " > ", " ? ", " : "};
        joined(em, (const struct value *[]){x, y, x, y}, 4, words, out);
        return;
    }
    if (v->kind == EXPR_FLOORDIV || v->kind == EXPR_FLOORMOD)
        gpu_fail(em, "'%s' of something that is no index is not emitted", expr_word(v->kind));
    snprintf(word, sizeof word, " %s ", expr_word(v->kind));
    joined(em, v->args, 2, (const char *[]){word}, out);
}

/* Values of float16 are bits: they are given, copied, chosen, or made float, and nothing else. */
static void cast(struct gpu_emitter *em, const struct value *v, struct text *out)
{
    if (v->args[0]->dtype == DTYPE_F16 && v->dtype == DTYPE_F32) {
        call(em, "half_to_float", v, out);
        return;
    }
    if (v->args[0]->dtype == DTYPE_F16 || v->dtype == DTYPE_F16)
        gpu_fail(em, "a cast from %s to %s is not emitted", dtype_name(v->args[0]->dtype), dtype_name(v->dtype));
    text_printf(out, "((%s)", dialect_type(em->dialect, v->dtype));
    gpu_expr_text(em, v->args[0], out);
    text_add(out, v->dtype == DTYPE_BOOL ? " != 0)" : ")");
}

void gpu_expr_text(struct gpu_emitter *em, const struct value *v, struct text *out)
{
    bool bits = v->kind == EXPR_LOAD || v->kind == EXPR_FLOAT || v->kind == EXPR_IF || v->kind == EXPR_SELECT;
    if (v->dtype == DTYPE_F16 && !bits)
        gpu_fail(em, "'%s' in float16 is not emitted", expr_word(v->kind));
    switch (v->kind) {
    case EXPR_INT:
        text_int(out, v->i);
        return;
    case EXPR_FLOAT:
        number_text(em, v, out);
        return;
    case EXPR_INDEX:
        form_text(em, *v->index, v->dtype, out);
        return;
    case EXPR_LOAD:
        gpu_expr_place(em, v->buffer, v->index, out);
        return;
    case EXPR_IF:
    case EXPR_SELECT:
        joined(em, v->args, 3, (const char *[]){" ? ", " : "}, out);
        return;
    case EXPR_NOT:
        text_char(out, '!');
        gpu_expr_text(em, v->args[0], out);
        return;
    case EXPR_CAST:
        cast(em, v, out);
        return;
    case EXPR_SIGMOID:
    case EXPR_RSQRT:
        reciprocal(em, v, out);
        return;
    case EXPR_AXIS:
    case EXPR_COUNT:
        gpu_fail(em, "'%s' cannot stand in a nest", expr_word(v->kind));
        return;
    default:
        if (em->dialect->function[v->kind][0])
            call(em, em->dialect->function[v->kind][v->dtype == DTYPE_F64], v, out);
        else
            binary(em, v, out);
    }
}

void gpu_expr_guards(struct gpu_emitter *em, const struct stmt *s, struct text *out)
{
    for (int i = 0, n = 0; i < s->nguards; i++) {
        const struct guard *g = &s->guards[i];
        struct affine f = gpu_index_known(em, g->form);
        for (int side = 0; side < 2; side++) {
            if (side ? g->hi == INT64_MAX : g->lo == INT64_MIN)
                continue;
            text_add(out, n++ ? " && " : "");
            gpu_index_text(em, f, out);
            text_printf(out, side ? " < %lld" : " >= %lld", (long long)(side ? g->hi : g->lo));
        }
    }
}

void gpu_expr_reduce(struct text *out, enum reducer r, const char *x, const char *y)
{
    if (r == REDUCE_SUM)
        text_printf(out, "%s + %s", x, y);
    else
        text_printf(out, "%s(%s, %s)", r == REDUCE_MAX ? "max" : "min", x, y);
}

/* ---- vectors ---- */

static const char *pointer_words(const struct gpu_emitter *em, const struct gpu_storage *s)
{
    return s->space == GPU_GLOBAL ? em->dialect->global : s->space == GPU_SHARED ? em->dialect->shared : "";
}

/* Whether turns 0, 1, ... of the loop over atom are elements beside each other, the first one aligned to all. */
static bool is_vector(struct gpu_emitter *em, const struct buffer *b, const struct affine *index, int atom, int lanes)
{
    struct atoms *p = em->nest->atoms;
    struct affine f = gpu_index_now(em, b, index), rest = affine_sub(p, f, affine_atom(p, atom));
    return em->storage[b->id].placed && em->storage[b->id].space != GPU_PRIVATE && !affine_uses(p, rest, atom) &&
           affine_divisor(em->nest->atoms, rest, lanes) >= lanes;
}

static void vector_place(struct gpu_emitter *em, const struct buffer *b, const struct affine *index, int lanes,
                         struct text *out)
{
    struct gpu_storage *s = &em->storage[b->id];
    s->used = true;
    text_printf(out, "*((%s%s%d *)(%s + ", em->dialect->space_of_pointer ? pointer_words(em, s) : "",
                dialect_type(em->dialect, b->dtype), lanes, s->name);
    gpu_index_text(em, gpu_index_now(em, b, index), out);
    text_add(out, "))");
}

static bool value_uses(struct gpu_emitter *em, const struct value *v, int atom)
{
    const struct atoms *p = em->nest->atoms;
    if (v->kind == EXPR_LOAD && affine_uses(p, gpu_index_relative(em, v->buffer, v->index), atom))
        return true;
    if (v->kind == EXPR_INDEX && affine_uses(p, *v->index, atom))
        return true;
    for (int i = 0; i < v->nargs; i++)
        if (value_uses(em, v->args[i], atom))
            return true;
    return false;
}

static void lane_set(struct gpu_emitter *em, int atom, int lane)
{
    em->has[atom] = true;
    em->with[atom] = affine_const(lane);
}

static void vector_value(struct gpu_emitter *em, const struct value *v, int atom, int lanes, struct text *out)
{
    if (v->kind == EXPR_LOAD) {
        em->has[atom] = false;
        bool whole = is_vector(em, v->buffer, v->index, atom, lanes);
        lane_set(em, atom, 0);
        if (whole) {
            vector_place(em, v->buffer, v->index, lanes, out);
            return;
        }
    }
    if (v->kind == EXPR_IF && !value_uses(em, v->args[0], atom)) {
        text_char(out, '(');
        gpu_expr_text(em, v->args[0], out);
        for (int i = 1; i < 3; i++) {
            text_add(out, i == 1 ? " ? " : " : ");
            vector_value(em, v->args[i], atom, lanes, out);
        }
        text_char(out, ')');
        return;
    }
    em->dialect->vector(out, dialect_type(em->dialect, v->dtype), lanes);
    for (int i = 0; i < lanes; i++) {
        text_add(out, i ? ", " : "");
        lane_set(em, atom, i);
        gpu_expr_text(em, v, out);
    }
    lane_set(em, atom, 0);
    text_add(out, em->dialect->vector_end);
}

bool gpu_expr_vector_store(struct gpu_emitter *em, const struct stmt *s, int atom, int lanes)
{
    if ((lanes != 2 && lanes != 4) || s->buffer->dtype != s->value->dtype ||
        (dtype_bytes(s->buffer->dtype) != 4 && s->buffer->dtype != DTYPE_F16) ||
        !is_vector(em, s->buffer, s->index, atom, lanes))
        return false;
    lane_set(em, atom, 0);
    struct text *out = gpu_line(em);
    vector_place(em, s->buffer, s->index, lanes, out);
    text_add(out, " = ");
    vector_value(em, s->value, atom, lanes, out);
    text_add(out, ";\n");
    em->has[atom] = false;
    return true;
}
