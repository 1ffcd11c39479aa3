/* SPDX-License-Identifier: Apache-2.0 */
/* atoms: a pool is an array in an arena; a range is computed once, when its atom is made. Arithmetic saturates:
 * schedules with absurd numbers are refused elsewhere, here they must only not be undefined. */
#include "harness/program/ir/atoms.h"

#include "harness/base/err.h"
#include "harness/base/int_math.h"

#include <string.h>

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

/* Of kind ATOM_LOOP, zero but for that. */
static struct atom *push(struct atoms *p)
{
    if (p->n == p->cap) {
        struct atom *grown = ARENA_ARRAY(p->arena, struct atom, 2 * p->cap + 8);
        memcpy(grown, p->at, sizeof *grown * (size_t)p->n);
        p->at = grown;
        p->cap = 2 * p->cap + 8;
    }
    return &p->at[p->n++];
}

int atoms_loop(struct atoms *p, const char *name, int64_t extent)
{
    if (extent < 1)
        bug("loop '%s' has extent %lld", name, (long long)extent);
    struct atom *at = push(p);
    at->hi = extent - 1;
    at->name = name;
    return p->n - 1;
}

static uint32_t atom_key(enum atom_kind kind, struct affine of, int64_t by)
{
    uint64_t h = (uint64_t)by * 0x9e3779b97f4a7c15u + (uint64_t)of.base * 31 + (uint64_t)kind;
    for (int i = 0; i < of.n; i++)
        h = (h ^ ((uint64_t)of.terms[i].atom << 32) ^ (uint64_t)of.terms[i].coef) * 0xff51afd7ed558ccdu;
    return (uint32_t)(h >> 32);
}

int atoms_division(struct atoms *p, enum atom_kind kind, struct affine of, int64_t by)
{
    uint32_t key = atom_key(kind, of, by);
    for (int i = 0; i < p->n; i++) {
        const struct atom *at = &p->at[i];
        if (at->key == key && at->kind == kind && at->by == by && affine_equal(at->of, of))
            return i;
    }
    int64_t lo, hi;
    affine_range(p, of, &lo, &hi);
    struct atom *at = push(p);
    at->kind = kind;
    at->hi = by - 1;
    at->of = of;
    at->by = by;
    at->key = key;
    if (kind == ATOM_DIV) {
        at->lo = floor_div(lo, by);
        at->hi = floor_div(hi, by);
    } else if (floor_div(lo, by) == floor_div(hi, by)) {
        at->lo = floor_mod(lo, by);
        at->hi = floor_mod(hi, by);
    }
    return p->n - 1;
}

/* Questions about a form */

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

static const struct term *term_of(struct affine a, int atom)
{
    for (int i = 0; i < a.n && a.terms[i].atom <= atom; i++)
        if (a.terms[i].atom == atom)
            return &a.terms[i];
    return NULL;
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

/* ---- divisibility ---- */

/* The greatest power of two that divides v, but `limit` when that is less. */
static int64_t power_in(int64_t v, int64_t limit)
{
    int64_t p = 1;
    while (p < limit && v % (2 * p) == 0)
        p *= 2;
    return p;
}

static int64_t atom_divisor(const struct atoms *p, int atom, int64_t limit)
{
    const struct atom *a = &p->at[atom];
    if (a->kind == ATOM_LOOP)
        return 1;
    int64_t of = affine_divisor(p, a->of, sat_mul(limit, a->by));
    if (a->kind == ATOM_MOD)
        return of < power_in(a->by, limit) ? of : power_in(a->by, limit);
    return power_in(a->by, a->by) == a->by && of >= a->by ? of / a->by : 1;
}

int64_t affine_divisor(const struct atoms *p, struct affine f, int64_t limit)
{
    int64_t least = power_in(f.base, limit);
    for (int i = 0; i < f.n; i++) {
        int64_t coef = power_in(f.terms[i].coef, limit),
                power = power_in(sat_mul(coef, atom_divisor(p, f.terms[i].atom, limit)), limit);
        least = power < least ? power : least;
    }
    return least;
}
