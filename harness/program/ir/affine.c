/* SPDX-License-Identifier: Apache-2.0 */
/* affine: sorted term lists over the atoms of a pool. This is the hot path of lowering (12,000 nests a search round),
 * so: no malloc, ranges computed once when an atom is made, sums by merging. Quotients are in affine_div.c. Arithmetic
 * saturates: schedules with absurd numbers are refused elsewhere, here they must only not be undefined. */
#include "harness/program/ir/affine.h"

#include "harness/base/err.h"
#include "harness/program/ir/affine_div.h"

#include <string.h>

/* Atoms */

struct atoms *atoms_new(struct arena *a)
{
    struct atoms *p = ARENA_NEW(a, struct atoms);
    p->arena = a;
    p->cap = 32;
    p->at = ARENA_ARRAY(a, struct atom, p->cap);
    return p;
}

struct atoms *atoms_copy(struct arena *a, const struct atoms *p)
{
    struct atoms *c = ARENA_NEW(a, struct atoms);
    *c = (struct atoms){.arena = a, .n = p->n, .cap = p->n};
    c->at = ARENA_DUP(a, p->at, struct atom, p->n);
    for (int i = 0; i < c->n; i++)
        c->at[i].of = affine_copy(a, c->at[i].of);
    return c;
}

struct affine affine_copy(struct arena *a, struct affine f)
{
    if (f.n > 0)
        f.terms = ARENA_DUP(a, f.terms, struct term, f.n);
    return f;
}

int atoms_push(struct atoms *p, struct atom at)
{
    if (p->n == p->cap) {
        struct atom *grown = ARENA_ARRAY(p->arena, struct atom, 2 * p->cap + 8);
        memcpy(grown, p->at, sizeof *grown * (size_t)p->n);
        p->at = grown;
        p->cap = 2 * p->cap + 8;
    }
    p->at[p->n] = at;
    return p->n++;
}

int atoms_loop(struct atoms *p, const char *name, int64_t extent)
{
    if (extent < 1)
        bug("loop '%s' has extent %lld", name, (long long)extent);
    return atoms_push(p, (struct atom){.kind = ATOM_LOOP, .lo = 0, .hi = extent - 1, .name = name});
}

/* Sums */

struct affine affine_atom(struct atoms *p, int atom)
{
    if (p->at[atom].lo == p->at[atom].hi)
        return affine_const(p->at[atom].lo);
    struct term *t = ARENA_NEW(p->arena, struct term);
    *t = (struct term){atom, 1};
    return (struct affine){.n = 1, .terms = t};
}

static const struct term *term_of(struct affine a, int atom)
{
    for (int i = 0; i < a.n && a.terms[i].atom <= atom; i++)
        if (a.terms[i].atom == atom)
            return &a.terms[i];
    return NULL;
}

/* a + c*b, term lists merged. */
struct affine affine_merge(struct atoms *p, struct affine a, struct affine b, int64_t c)
{
    struct term *t = ARENA_ARRAY(p->arena, struct term, a.n + b.n);
    int n = 0, i = 0, j = 0;
    while (i < a.n || j < b.n) {
        struct term x;
        if (j == b.n || (i < a.n && a.terms[i].atom < b.terms[j].atom)) {
            x = a.terms[i++];
        } else {
            x = (struct term){b.terms[j].atom, sat_mul(b.terms[j].coef, c)};
            if (i < a.n && a.terms[i].atom == x.atom)
                x.coef = sat_add(a.terms[i++].coef, x.coef);
            j++;
        }
        if (x.coef != 0)
            t[n++] = x;
    }
    return (struct affine){.base = sat_add(a.base, sat_mul(b.base, c)), .n = n, .terms = n ? t : NULL};
}

static struct affine add_scaled(struct atoms *p, struct affine a, struct affine b, int64_t c)
{
    if (b.n == 0)
        return affine_shift(a, sat_mul(b.base, c));
    if (a.n == 0 && c == 1)
        return affine_shift(b, a.base);
    struct affine sum = affine_merge(p, a, b, c);
    if (sum.n > 1)
        while (affine_recombine(p, &sum))
            ;
    return sum;
}

struct affine affine_add(struct atoms *p, struct affine a, struct affine b)
{
    return add_scaled(p, a, b, 1);
}

struct affine affine_sub(struct atoms *p, struct affine a, struct affine b)
{
    return add_scaled(p, a, b, -1);
}

struct affine affine_scale(struct atoms *p, struct affine a, int64_t c)
{
    if (c == 1)
        return a;
    if (c == 0 || a.n == 0)
        return affine_const(sat_mul(a.base, c));
    struct term *t = ARENA_ARRAY(p->arena, struct term, a.n);
    for (int i = 0; i < a.n; i++)
        t[i] = (struct term){a.terms[i].atom, sat_mul(a.terms[i].coef, c)};
    return (struct affine){.base = sat_mul(a.base, c), .n = a.n, .terms = t};
}

struct affine affine_shift(struct affine a, int64_t c)
{
    a.base = sat_add(a.base, c);
    return a;
}

bool affine_equal(struct affine a, struct affine b)
{
    if (a.base != b.base || a.n != b.n)
        return false;
    for (int i = 0; i < a.n; i++)
        if (a.terms[i].atom != b.terms[i].atom || a.terms[i].coef != b.terms[i].coef)
            return false;
    return true;
}

void affine_range(const struct atoms *p, struct affine a, int64_t *lo, int64_t *hi)
{
    *lo = *hi = a.base;
    for (int i = 0; i < a.n; i++) {
        const struct atom *at = &p->at[a.terms[i].atom];
        int64_t x = sat_mul(at->lo, a.terms[i].coef), y = sat_mul(at->hi, a.terms[i].coef);
        *lo = sat_add(*lo, x < y ? x : y);
        *hi = sat_add(*hi, x < y ? y : x);
    }
}

/* Replacement, questions about a form */

static bool replaces_atom(const struct atoms *p, int atom, const bool *has, int nhas)
{
    const struct atom *at = &p->at[atom];
    if (at->kind == ATOM_LOOP)
        return atom < nhas && has[atom];
    for (int i = 0; i < at->of.n; i++)
        if (replaces_atom(p, at->of.terms[i].atom, has, nhas))
            return true;
    return false;
}

struct affine affine_replace(struct atoms *p, struct affine a, const struct affine *with, const bool *has, int nhas)
{
    struct term *kept = NULL;
    struct affine sum = {.base = a.base};
    for (int i = 0; i < a.n; i++) {
        if (replaces_atom(p, a.terms[i].atom, has, nhas))
            continue;
        kept = kept ? kept : ARENA_ARRAY(p->arena, struct term, a.n);
        kept[sum.n++] = a.terms[i];
    }
    if (sum.n == a.n)
        return a;
    sum.terms = kept;
    for (int i = 0; i < a.n; i++) {
        struct term t = a.terms[i];
        if (!replaces_atom(p, t.atom, has, nhas))
            continue;
        struct atom at = p->at[t.atom];
        struct affine x = at.kind == ATOM_LOOP ? with[t.atom] : affine_replace(p, at.of, with, has, nhas);
        if (at.kind != ATOM_LOOP)
            x = at.kind == ATOM_DIV ? affine_div(p, x, at.by) : affine_mod(p, x, at.by);
        sum = add_scaled(p, sum, x, t.coef);
    }
    return sum;
}

enum { HAS_FREE = 1, HAS_FIXED = 2 };

static int atom_mix(const struct atoms *p, int atom, const bool *free, int nfree)
{
    const struct atom *at = &p->at[atom];
    if (at->kind == ATOM_LOOP)
        return atom < nfree && free[atom] ? HAS_FREE : HAS_FIXED;
    int mix = 0;
    for (int i = 0; i < at->of.n; i++)
        mix |= atom_mix(p, at->of.terms[i].atom, free, nfree);
    return mix;
}

/* Width of a div or mod atom some of whose loops are free. The fixed part of what is divided is a multiple of g (its
 * atoms may have any value), so in units of g the quotient moves by at most the free width rounded up. */
static int64_t quotient_width(const struct atoms *p, const struct atom *at, const bool *free, int nfree)
{
    int64_t g = at->by, lo = at->of.base, whole = at->hi - at->lo;
    bool start_known = true;
    for (int i = 0; i < at->of.n; i++) {
        const struct term *t = &at->of.terms[i];
        int mix = atom_mix(p, t->atom, free, nfree);
        if (mix == HAS_FIXED)
            g = gcd(g, t->coef);
        else if (mix == HAS_FREE)
            lo = sat_add(lo, sat_mul(t->coef, t->coef > 0 ? p->at[t->atom].lo : p->at[t->atom].hi));
        else
            start_known = false;
    }
    if (!start_known) {
        g = 1;
        lo = 0;
    }
    int64_t w = affine_width(p, at->of, free, nfree), hi = sat_add(lo, w), width;
    if (at->kind == ATOM_DIV) {
        int64_t cells = floor_div(hi, g) - floor_div(lo, g), parts = at->by / g;
        width = (cells + parts - 1) / parts;
    } else {
        bool one_cell = g == at->by && floor_div(lo, g) == floor_div(hi, g);
        width = one_cell ? w : at->by - 1;
    }
    return width < whole ? width : whole;
}

int64_t affine_width(const struct atoms *p, struct affine a, const bool *free, int nfree)
{
    int64_t width = 0;
    for (int i = 0; i < a.n; i++) {
        int atom = a.terms[i].atom;
        const struct atom *at = &p->at[atom];
        if (!(atom_mix(p, atom, free, nfree) & HAS_FREE))
            continue;
        int64_t w = at->kind == ATOM_LOOP ? at->hi - at->lo : quotient_width(p, at, free, nfree);
        width = sat_add(width, sat_mul(w, a.terms[i].coef < 0 ? -a.terms[i].coef : a.terms[i].coef));
    }
    return width;
}

bool affine_uses(const struct atoms *p, struct affine a, int atom)
{
    if (term_of(a, atom))
        return true;
    for (int i = 0; i < a.n; i++)
        if (p->at[a.terms[i].atom].kind != ATOM_LOOP && affine_uses(p, p->at[a.terms[i].atom].of, atom))
            return true;
    return false;
}

int64_t affine_eval(const struct atoms *p, struct affine a, const int64_t *loop_values)
{
    int64_t sum = a.base;
    for (int i = 0; i < a.n; i++) {
        const struct atom *at = &p->at[a.terms[i].atom];
        int64_t v;
        if (at->kind == ATOM_LOOP)
            v = loop_values[a.terms[i].atom];
        else if (at->kind == ATOM_DIV)
            v = floor_div(affine_eval(p, at->of, loop_values), at->by);
        else
            v = floor_mod(affine_eval(p, at->of, loop_values), at->by);
        sum = sat_add(sum, sat_mul(v, a.terms[i].coef));
    }
    return sum;
}

/* Printing */

static void print_atom(const struct atoms *p, int atom, struct text *out)
{
    const struct atom *at = &p->at[atom];
    if (at->kind == ATOM_LOOP) {
        text_add(out, at->name);
        return;
    }
    bool simple = at->of.n == 1 && at->of.base == 0 && at->of.terms[0].coef == 1;
    if (!simple)
        text_char(out, '(');
    affine_print(p, at->of, out);
    text_add(out, simple ? "" : ")");
    text_add(out, at->kind == ATOM_DIV ? " // " : " % ");
    text_int(out, at->by);
}

void affine_print(const struct atoms *p, struct affine a, struct text *out)
{
    bool first = true;
    for (int i = 0; i < a.n; i++) {
        int64_t c = a.terms[i].coef;
        if (!first)
            text_add(out, c < 0 ? " - " : " + ");
        else if (c < 0)
            text_char(out, '-');
        first = false;
        bool bracket = c < 0 && p->at[a.terms[i].atom].kind != ATOM_LOOP;
        text_add(out, bracket ? "(" : "");
        print_atom(p, a.terms[i].atom, out);
        text_add(out, bracket ? ")" : "");
        c = c < 0 ? -c : c;
        if (c != 1) {
            text_char(out, '*');
            text_int(out, c);
        }
    }
    if (first) {
        text_int(out, a.base);
    } else if (a.base) {
        text_add(out, a.base < 0 ? " - " : " + ");
        text_int(out, a.base < 0 ? -a.base : a.base);
    }
}
