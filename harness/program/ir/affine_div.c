/* SPDX-License-Identifier: Apache-2.0 */
/* affine_div: floordiv and floormod of forms, and putting them together again.
 *
 * Canonical form. For x // c the terms of x divisible by c leave it; of what remains (the rest, its base in 0..c-1)
 * terms and base are split into g*y + s with g a divisor of c and s inside one cell of width g, and the quotient is y
 * // (c/g); x % c is g*(y % (c/g)) + s. So both see the same y, and c*(x//c) + x%c is put together again by add.
 * (x//a)//b is x//(a*b); (c*(x%m)) % k is (c*x) % k when k divides c*m; (x%(a*b))//a is (x//a)%b.
 * Equal div and mod atoms are one atom: found by a 32-bit key over the pool, which is short. */
#include "harness/program/ir/affine_div.h"

#include "harness/base/err.h"

static uint32_t atom_key(enum atom_kind kind, struct affine of, int64_t by)
{
    uint64_t h = (uint64_t)by * 0x9e3779b97f4a7c15u + (uint64_t)of.base * 31 + (uint64_t)kind;
    for (int i = 0; i < of.n; i++)
        h = (h ^ ((uint64_t)of.terms[i].atom << 32) ^ (uint64_t)of.terms[i].coef) * 0xff51afd7ed558ccdu;
    return (uint32_t)(h >> 32);
}

/* The DIV or MOD atom of a form that does not simplify; range: that of the form. */
static int atom_quotient(struct atoms *p, enum atom_kind kind, struct affine of, int64_t by)
{
    uint32_t key = atom_key(kind, of, by);
    for (int i = 0; i < p->n; i++) {
        const struct atom *at = &p->at[i];
        if (at->key == key && at->kind == kind && at->by == by && affine_equal(at->of, of))
            return i;
    }
    int64_t lo, hi;
    affine_range(p, of, &lo, &hi);
    struct atom at = {.kind = kind, .lo = 0, .hi = by - 1, .of = of, .by = by, .key = key};
    if (kind == ATOM_DIV) {
        at.lo = floor_div(lo, by);
        at.hi = floor_div(hi, by);
    } else if (floor_div(lo, by) == floor_div(hi, by)) {
        at.lo = floor_mod(lo, by);
        at.hi = floor_mod(hi, by);
    }
    return atoms_push(p, at);
}

/* The terms of a whose coefficient g divides (want true) or does not, divided by g if so. No base. */
static struct affine terms_by(struct atoms *p, struct affine a, int64_t g, bool want)
{
    struct term *t = ARENA_ARRAY(p->arena, struct term, a.n);
    int n = 0;
    for (int i = 0; i < a.n; i++)
        if ((a.terms[i].coef % g == 0) == want)
            t[n++] = (struct term){a.terms[i].atom, want ? a.terms[i].coef / g : a.terms[i].coef};
    return (struct affine){.n = n, .terms = n ? t : NULL};
}

/* Of a, the range of the terms that g does not divide plus base mod g, if it stays in one cell of width g. */
static bool small_part(const struct atoms *p, struct affine a, int64_t g, int64_t *cell)
{
    int64_t lo = floor_mod(a.base, g), hi = lo;
    for (int i = 0; i < a.n; i++) {
        const struct term *t = &a.terms[i];
        if (t->coef % g == 0)
            continue;
        int64_t x = sat_mul(p->at[t->atom].lo, t->coef), y = sat_mul(p->at[t->atom].hi, t->coef);
        lo = sat_add(lo, x < y ? x : y);
        hi = sat_add(hi, x < y ? y : x);
    }
    *cell = floor_div(lo, g);
    return *cell == floor_div(hi, g);
}

/* a = g*y + s for the largest divisor g of by such that s stays in 0..g-1; y and by/g are what the quotient is about.
 */
struct division {
    struct affine y, s;
    int64_t g;
};

static struct division divide(struct atoms *p, struct affine a, int64_t by)
{
    int64_t g = 1, cell = 0, c;
    if (small_part(p, a, by, &c)) {
        g = by;
        cell = c;
    }
    for (int i = 0; i < a.n && g != by; i++) {
        int64_t try = gcd(a.terms[i].coef, by);
        if (try > g && small_part(p, a, try, &c)) {
            g = try;
            cell = c;
        }
    }
    if (g == 1)
        return (struct division){.y = a, .g = 1};
    struct affine y = terms_by(p, a, g, true), s = terms_by(p, a, g, false);
    y.base = floor_div(a.base, g) + cell;
    s.base = floor_mod(a.base, g) - cell * g;
    return (struct division){.y = y, .s = s, .g = g};
}

/* floordiv of what is left when nothing can be split off any more: rest's base in 0..by-1, by > 1. */
static struct affine div_rest(struct atoms *p, struct affine rest, int64_t by)
{
    const struct atom *only = rest.n == 1 && rest.terms[0].coef == 1 ? &p->at[rest.terms[0].atom] : NULL;
    int64_t wide;
    if (only && only->kind == ATOM_DIV && !__builtin_mul_overflow(only->by, by, &wide) && wide < SATURATED)
        return affine_div(p, affine_shift(only->of, sat_mul(rest.base, only->by)), wide);
    if (only && only->kind == ATOM_MOD && rest.base == 0 && only->by % by == 0) {
        int64_t b = only->by / by; /* before the pool grows */
        return affine_mod(p, affine_div(p, only->of, by), b);
    }
    return affine_atom(p, atom_quotient(p, ATOM_DIV, rest, by));
}

struct affine affine_div(struct atoms *p, struct affine a, int64_t by)
{
    if (by < 1)
        bug("division of an index by %lld", (long long)by);
    if (by == 1)
        return a;
    struct affine whole = affine_const(0);
    for (;;) {
        struct division d = divide(p, a, by);
        by /= d.g;
        if (by == 1)
            return affine_add(p, whole, d.y);
        whole = affine_add(p, whole, affine_shift(terms_by(p, d.y, by, true), floor_div(d.y.base, by)));
        a = terms_by(p, d.y, by, false);
        a.base = floor_mod(d.y.base, by);
        if (a.n == 0)
            return whole;
        if (d.g == 1 && a.n == d.y.n)
            return affine_add(p, whole, div_rest(p, a, by));
    }
}

/* x % m terms whose coefficient makes the modulo superfluous under "% by" become x. */
static struct affine drop_inner_mods(struct atoms *p, struct affine a, int64_t by)
{
    for (int i = 0; i < a.n; i++) {
        struct term t = a.terms[i];
        struct atom at = p->at[t.atom];
        if (at.kind != ATOM_MOD || sat_mul(t.coef, at.by) % by != 0)
            continue;
        a = affine_merge(p, affine_merge(p, a, (struct affine){.n = 1, .terms = &t}, -1), at.of, t.coef);
        i = -1;
    }
    return a;
}

struct affine affine_mod(struct atoms *p, struct affine a, int64_t by)
{
    if (by < 1)
        bug("modulo of an index by %lld", (long long)by);
    struct affine sum = affine_const(0);
    int64_t scale = 1;
    for (;;) {
        struct division d = divide(p, a, by);
        sum = affine_add(p, sum, affine_scale(p, d.s, scale));
        scale *= d.g;
        by /= d.g;
        if (by == 1)
            return sum;
        struct affine open = drop_inner_mods(p, terms_by(p, d.y, by, false), by);
        a = terms_by(p, open, by, false);
        a.base = floor_mod(d.y.base + open.base, by);
        if (a.n == 0)
            return affine_shift(sum, sat_mul(a.base, scale));
        if (d.g == 1 && affine_equal(a, d.y))
            break;
    }
    struct affine m = affine_atom(p, atom_quotient(p, ATOM_MOD, a, by));
    return affine_add(p, sum, affine_scale(p, m, scale));
}

/* Term j of a completes the MOD term i: it is c*h with h = x//by, or c*(h % b), where i is (c/by)*(x % by). */
static bool recombine_pair(struct atoms *p, struct affine *a, int i, int j)
{
    struct term m = a->terms[i], d = a->terms[j];
    struct atom low = p->at[m.atom], high = p->at[d.atom];
    struct affine h = affine_div(p, low.of, low.by), whole;
    if (h.n == 1 && h.terms[0].atom == d.atom && h.terms[0].coef == 1)
        whole = affine_shift(low.of, -sat_mul(h.base, low.by));
    else if (high.kind == ATOM_MOD && affine_equal(high.of, h))
        whole = affine_mod(p, low.of, sat_mul(low.by, high.by));
    else
        return false;
    struct term pair[2] = {i < j ? m : d, i < j ? d : m};
    struct affine without = affine_merge(p, *a, (struct affine){.n = 2, .terms = pair}, -1);
    *a = affine_merge(p, without, whole, m.coef);
    return true;
}

bool affine_recombine(struct atoms *p, struct affine *a)
{
    for (int i = 0; i < a->n; i++) {
        const struct atom *low = &p->at[a->terms[i].atom];
        if (low->kind != ATOM_MOD)
            continue;
        int64_t wanted = sat_mul(a->terms[i].coef, low->by);
        for (int j = 0; j < a->n; j++)
            if (a->terms[j].coef == wanted && p->at[a->terms[j].atom].kind != ATOM_LOOP && recombine_pair(p, a, i, j))
                return true;
    }
    return false;
}
