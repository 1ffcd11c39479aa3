/* SPDX-License-Identifier: Apache-2.0 */
/* index_value: sums are built outer loop first, with one addition per symbol in the header of that symbol's loop, and
 * are remembered. So what LICM and CSE would do is done from the start. */
#include "targets/cpu/emit/index_value.h"

#include "harness/base/int_math.h"
#include "harness/program/ir/dtype.h"

#include <string.h>

static void add_term(struct emitter *em, struct index_value *ix, int symbol, int64_t coef)
{
    int i = 0;
    while (i < ix->n && ix->t[i].symbol < symbol)
        i++;
    if (i < ix->n && ix->t[i].symbol == symbol) {
        ix->t[i].coef += coef;
        if (!ix->t[i].coef) {
            ix->n--;
            memmove(&ix->t[i], &ix->t[i + 1], sizeof ix->t[0] * (size_t)(ix->n - i));
        }
        return;
    }
    if (ix->n == INDEX_TERMS) {
        emitter_fail(em, "an index of more than %d terms", INDEX_TERMS);
        return;
    }
    memmove(&ix->t[i + 1], &ix->t[i], sizeof ix->t[0] * (size_t)(ix->n - i));
    ix->t[i].symbol = symbol;
    ix->t[i].coef = coef;
    ix->n++;
}

void index_value_add(struct emitter *em, struct index_value *ix, const struct index_value *other, int64_t times)
{
    ix->base += other->base * times;
    ix->lane += other->lane * times;
    ix->outer += other->outer * times;
    for (int i = 0; i < other->n && times; i++)
        add_term(em, ix, other->t[i].symbol, other->t[i].coef * times);
}

void index_value_range(const struct emitter *em, const struct index_value *ix, int64_t *lo, int64_t *hi)
{
    int inner = em->lanes.inner ? em->lanes.inner : em->lanes.count;
    int64_t reach = ix->lane * (inner - 1), wide = ix->outer * (em->lanes.count / inner - 1);
    *lo = ix->base + (reach < 0 ? reach : 0) + (wide < 0 ? wide : 0);
    *hi = ix->base + (reach > 0 ? reach : 0) + (wide > 0 ? wide : 0);
    for (int i = 0; i < ix->n; i++) {
        const struct symbol *s = &em->frame->symbols[ix->t[i].symbol];
        int64_t c = ix->t[i].coef;
        *lo += c * (c > 0 ? s->lo : s->hi);
        *hi += c * (c > 0 ? s->hi : s->lo);
    }
}

bool index_value_same_symbols(const struct index_value *a, const struct index_value *b)
{
    if (a->n != b->n || a->lane != b->lane || a->outer != b->outer)
        return false;
    for (int i = 0; i < a->n; i++)
        if (a->t[i].symbol != b->t[i].symbol || a->t[i].coef != b->t[i].coef)
            return false;
    return true;
}

bool index_value_equal(const struct index_value *a, const struct index_value *b)
{
    return a->base == b->base && index_value_same_symbols(a, b);
}

struct index_value_saved index_value_begin_lane(struct emitter *em, int lane)
{
    struct index_value_saved s = {.lanes = em->lanes};
    int inner = s.lanes.inner ? s.lanes.inner : LANES_MAX;
    struct binding *at = &em->frame->bindings[s.lanes.atom];
    s.lane = *at;
    at->kind = at->symbol >= 0 ? BIND_SYMBOL : BIND_CONST;
    at->start += lane % inner;
    if (s.lanes.inner) {
        at = &em->frame->bindings[s.lanes.outer];
        s.outer = *at;
        at->kind = at->symbol >= 0 ? BIND_SYMBOL : BIND_CONST;
        at->start += lane / inner;
    }
    em->lanes = (struct lanes){.count = 1, .width = 1, .atom = -1};
    return s;
}

void index_value_end_lane(struct emitter *em, const struct index_value_saved *saved)
{
    em->lanes = saved->lanes;
    em->frame->bindings[saved->lanes.atom] = saved->lane;
    if (saved->lanes.inner)
        em->frame->bindings[saved->lanes.outer] = saved->outer;
}

int index_value_scope(const struct emitter *em, const struct index_value *ix)
{
    int scope = 0;
    for (int i = 0; i < ix->n; i++)
        if (em->frame->symbols[ix->t[i].symbol].scope > scope)
            scope = em->frame->symbols[ix->t[i].symbol].scope;
    return scope;
}

/* ---- integers ---- */

/* The builder of addresses, placed in the header of a scope, before its branch. */
static LLVMBuilderRef at_header(struct emitter *em, int scope)
{
    LLVMBasicBlockRef block = em->frame->scopes[scope].header;
    LLVMValueRef end = LLVMGetBasicBlockTerminator(block);
    if (end)
        LLVMPositionBuilderBefore(em->addresses, end);
    else
        LLVMPositionBuilderAtEnd(em->addresses, block);
    return em->addresses;
}

/* Terms in the order of their loops, outermost first. */
static int by_scope(const struct emitter *em, const struct index_value *ix, int *order)
{
    for (int i = 0; i < ix->n; i++) {
        int k = i, s = em->frame->symbols[ix->t[i].symbol].scope;
        for (; k > 0 && em->frame->symbols[ix->t[order[k - 1]].symbol].scope > s; k--)
            order[k] = order[k - 1];
        order[k] = i;
    }
    return ix->n;
}

static LLVMValueRef scaled(struct emitter *em, int symbol, int64_t coef)
{
    const struct symbol *s = &em->frame->symbols[symbol];
    if (coef == 1)
        return s->value;
    uint64_t key[MEMO_WORDS] = {'m', (uint64_t)(uintptr_t)s->value, (uint64_t)coef};
    LLVMValueRef v = memo_find(em, key);
    if (!v) {
        v = LLVMBuildNSWMul(at_header(em, s->scope), s->value, emitter_i64(em, coef), "");
        memo_keep(em, key, v, s->scope);
    }
    return v;
}

LLVMValueRef index_value_scalar(struct emitter *em, const struct index_value *ix)
{
    int order[INDEX_TERMS], n = by_scope(em, ix, order);
    if (!n)
        return emitter_i64(em, ix->base);
    LLVMValueRef sum = NULL;
    int scope = 0;
    for (int i = 0; i <= n; i++) { /* the constant comes last: what differs in it only shares the rest */
        LLVMValueRef add;
        if (i < n) {
            const struct symbol *s = &em->frame->symbols[ix->t[order[i]].symbol];
            scope = s->scope > scope ? s->scope : scope;
            add = scaled(em, ix->t[order[i]].symbol, ix->t[order[i]].coef);
        } else {
            if (!ix->base)
                break;
            add = emitter_i64(em, ix->base);
        }
        if (!sum) {
            sum = add;
            continue;
        }
        uint64_t key[MEMO_WORDS] = {'+', (uint64_t)(uintptr_t)sum, (uint64_t)(uintptr_t)add};
        LLVMValueRef v = memo_find(em, key);
        if (!v) {
            v = LLVMBuildNSWAdd(at_header(em, scope), sum, add, "");
            memo_keep(em, key, v, scope);
        }
        sum = v;
    }
    return sum;
}

static LLVMValueRef step_pointer(struct emitter *em, LLVMTypeRef element, LLVMValueRef base, LLVMValueRef offset,
                                 int scope)
{
    uint64_t key[MEMO_WORDS] = {'p', (uint64_t)(uintptr_t)base, (uint64_t)(uintptr_t)offset};
    LLVMValueRef v = memo_find(em, key);
    if (!v) {
        v = LLVMBuildInBoundsGEP2(at_header(em, scope), element, base, &offset, 1, "");
        memo_keep(em, key, v, scope);
    }
    return v;
}

LLVMValueRef index_value_pointer(struct emitter *em, const struct buffer *b, const struct index_value *ix)
{
    int order[INDEX_TERMS], n = by_scope(em, ix, order), scope = 0;
    LLVMTypeRef element = emitter_type(em, b->dtype);
    LLVMValueRef p = em->frame->bases[b->id];
    int64_t copies = em->frame->copies[b->id];
    for (int i = 0; i < n; i++) {
        const struct symbol *s = &em->frame->symbols[ix->t[order[i]].symbol];
        scope = s->scope > scope ? s->scope : scope;
        p = step_pointer(em, element, p, scaled(em, ix->t[order[i]].symbol, ix->t[order[i]].coef * copies), scope);
    }
    if (ix->base) {
        LLVMValueRef offset = emitter_i64(em, ix->base * copies);
        p = LLVMBuildInBoundsGEP2(em->builder, element, p, &offset, 1, "");
    }
    return p;
}

/* ---- div and mod ---- */

static LLVMValueRef build_div_mod(struct emitter *em, enum atom_kind kind, const struct index_value *ix, int64_t by,
                                  int scope)
{
    LLVMValueRef x = index_value_scalar(em, ix), d = emitter_i64(em, by);
    LLVMBuilderRef b = at_header(em, scope);
    int64_t lo, hi;
    index_value_range(em, ix, &lo, &hi);
    if (lo >= 0)
        return kind == ATOM_DIV ? LLVMBuildUDiv(b, x, d, "") : LLVMBuildURem(b, x, d, "");
    int64_t lift = -floor_div(lo, by) * by; /* x + lift >= 0, and lift is a multiple of by */
    x = LLVMBuildNSWAdd(b, x, emitter_i64(em, lift), "");
    if (kind == ATOM_MOD)
        return LLVMBuildURem(b, x, d, "");
    return LLVMBuildNSWSub(b, LLVMBuildUDiv(b, x, d, ""), emitter_i64(em, lift / by), "");
}

/* The symbol for floordiv or floormod by a constant of ix, which is the same in all lanes. */
static int div_mod_symbol(struct emitter *em, enum atom_kind kind, const struct index_value *ix, int64_t by)
{
    struct function_frame *fr = em->frame;
    for (int i = fr->nsymbols - 1; i >= 0; i--) {
        const struct symbol *s = &fr->symbols[i];
        if (s->of && s->kind == kind && s->by == by && index_value_equal(s->of, ix) &&
            scope_alive(em, s->scope, s->serial))
            return i;
    }
    struct symbol s = {.kind = kind, .by = by, .scope = index_value_scope(em, ix)};
    s.of = ARENA_DUP(em->arena, ix, struct index_value, 1);
    s.value = build_div_mod(em, kind, ix, by, s.scope);
    int64_t lo, hi;
    index_value_range(em, ix, &lo, &hi);
    s.lo = kind == ATOM_DIV ? floor_div(lo, by) : 0;
    s.hi = kind == ATOM_DIV ? floor_div(hi, by) : by - 1;
    return symbol_add(em, s);
}

/* ix = by * multiple + rest with the rest's constant in 0..by-1. */
static void split_multiples(const struct index_value *ix, int64_t by, struct index_value *multiple,
                            struct index_value *rest)
{
    *multiple = (struct index_value){.base = floor_div(ix->base, by)};
    *rest = (struct index_value){.base = ix->base - multiple->base * by};
    if (ix->lane % by)
        rest->lane = ix->lane;
    else
        multiple->lane = ix->lane / by;
    if (ix->outer % by)
        rest->outer = ix->outer;
    else
        multiple->outer = ix->outer / by;
    for (int i = 0; i < ix->n; i++) {
        struct index_value *to = ix->t[i].coef % by ? rest : multiple;
        to->t[to->n].symbol = ix->t[i].symbol;
        to->t[to->n++].coef = to == rest ? ix->t[i].coef : ix->t[i].coef / by;
    }
}

/* rest = g * big + small with 0 <= small < g, and g divides `by`: then rest / by = big / (by / g). What differs between
 * lanes goes to small. False if no such g separates them. */
static bool split_by_gcd(struct emitter *em, const struct index_value *rest, int64_t by, int64_t *g,
                         struct index_value *big, struct index_value *small)
{
    *g = by;
    for (int i = 0; i < rest->n; i++)
        *g = gcd(rest->t[i].coef, *g);
    *big = (struct index_value){.base = rest->base / *g, .n = rest->n};
    for (int i = 0; i < rest->n; i++) {
        big->t[i].symbol = rest->t[i].symbol;
        big->t[i].coef = rest->t[i].coef / *g;
    }
    *small = (struct index_value){.base = rest->base % *g, .lane = rest->lane, .outer = rest->outer};
    int64_t lo, hi;
    index_value_range(em, small, &lo, &hi);
    return lo >= 0 && hi < *g;
}

/* A guard that holds here may leave one value of the division only: under `if (x < 128)` x / 128 is 0. */
static bool div_mod_under_guards(struct emitter *em, const struct atom *a, const struct index_value *ix,
                                 struct index_value *out)
{
    for (int i = 0; i < em->held.n; i++) {
        const struct guard *g = em->held.at[i];
        if (!affine_equal(g->form, a->of))
            continue;
        int64_t lo, hi;
        index_value_range(em, ix, &lo, &hi);
        lo = g->lo > lo ? g->lo : lo;
        hi = g->hi != INT64_MAX && g->hi - 1 < hi ? g->hi - 1 : hi;
        int64_t q = floor_div(lo, a->by);
        if (lo > hi || q != floor_div(hi, a->by))
            continue;
        *out = (struct index_value){.base = q};
        if (a->kind == ATOM_MOD) {
            *out = *ix;
            out->base -= q * a->by;
        }
        return true;
    }
    return false;
}

static bool resolve_div_mod(struct emitter *em, const struct atom *a, struct index_value *out)
{
    struct index_value ix, multiple, rest;
    if (!index_value_resolve(em, a->of, &ix))
        return false;
    if (div_mod_under_guards(em, a, &ix, out))
        return true;
    split_multiples(&ix, a->by, &multiple, &rest);
    int64_t lo, hi;
    index_value_range(em, &rest, &lo, &hi);
    int64_t q = floor_div(lo, a->by);
    if (q == floor_div(hi, a->by)) {
        *out = a->kind == ATOM_DIV ? multiple : rest;
        out->base += a->kind == ATOM_DIV ? q : -q * a->by;
        return true;
    }
    struct index_value big, small;
    int64_t g;
    if (!split_by_gcd(em, &rest, a->by, &g, &big, &small)) {
        if (index_value_is_wide(&rest))
            return false;
        big = rest;
        small = (struct index_value){.base = 0};
        g = 1;
    }
    int symbol = div_mod_symbol(em, a->kind, &big, a->by / g);
    *out = a->kind == ATOM_DIV ? multiple : small;
    add_term(em, out, symbol, a->kind == ATOM_DIV ? 1 : g);
    return true;
}

bool index_value_resolve(struct emitter *em, struct affine a, struct index_value *out)
{
    *out = (struct index_value){.base = a.base};
    for (int i = 0; i < a.n; i++) {
        const struct atom *atom = &em->nest->atoms->at[a.terms[i].atom];
        int64_t c = a.terms[i].coef;
        if (atom->kind != ATOM_LOOP) {
            struct index_value ix;
            if (!resolve_div_mod(em, atom, &ix))
                return false;
            index_value_add(em, out, &ix, c);
            continue;
        }
        const struct binding *bind = &em->frame->bindings[a.terms[i].atom];
        if (bind->kind == BIND_NONE) {
            emitter_fail(em, "loop '%s' is used outside of it", atom->name ? atom->name : "?");
            return false;
        }
        out->base += c * bind->start;
        if (bind->kind == BIND_SYMBOL || (bind->kind >= BIND_LANES && bind->symbol >= 0))
            add_term(em, out, bind->symbol, c * bind->stride);
        if (bind->kind == BIND_LANES)
            out->lane += c;
        if (bind->kind == BIND_OUTER)
            out->outer += c;
    }
    return !em->failed;
}

bool index_value_offset(struct emitter *em, const struct buffer *b, const struct affine *index, struct index_value *out)
{
    int64_t stride = 1;
    *out = (struct index_value){.base = 0};
    for (int d = b->ndim - 1; d >= 0; d--) {
        struct index_value ix;
        struct affine at = index[d];
        if (b->min && (b->min[d].n || b->min[d].base))
            at = affine_sub(em->nest->atoms, at, b->min[d]);
        if (!index_value_resolve(em, at, &ix))
            return false;
        index_value_add(em, out, &ix, stride);
        stride *= b->extent[d];
    }
    return true;
}
