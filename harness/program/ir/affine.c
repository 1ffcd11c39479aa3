/* SPDX-License-Identifier: Apache-2.0 */
/* affine: sums by merging sorted term lists, quotients and remainders, and putting those together again. This is the
 * hot path of lowering (12,000 nests a search round), so nothing is allocated but in the pool's arena.
 *
 * Canonical form. For x // c the terms of x divisible by c leave it; of what remains (the rest, its base in 0..c-1)
 * terms and base are split into g*y + s with g a divisor of c and s inside one cell of width g, and the quotient is y
 * // (c/g); x % c is g*(y % (c/g)) + s. So both see the same y, and c*(x//c) + x%c is put together again by add.
 * (x//a)//b is x//(a*b); (c*(x%m)) % k is (c*x) % k when k divides c*m; (x%(a*b))//a is (x//a)%b. */
#include "harness/program/ir/affine.h"

#include "harness/base/err.h"
#include "harness/base/int_math.h"

/* Sums */

static bool recombine(struct atoms *p, struct affine *a);

struct affine affine_atom(struct atoms *p, int atom)
{
    if (p->at[atom].lo == p->at[atom].hi)
        return affine_const(p->at[atom].lo);
    struct term *t = ARENA_NEW(p->arena, struct term);
    *t = (struct term){atom, 1};
    return (struct affine){0, 1, t};
}

/* a + c*b, term lists merged, no quotient and remainder put together. */
static struct affine merge(struct atoms *p, struct affine a, struct affine b, int64_t c)
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

struct affine affine_add_scaled(struct atoms *p, struct affine a, struct affine b, int64_t c)
{
    if (b.n == 0)
        return affine_shift(a, sat_mul(b.base, c));
    if (a.n == 0 && c == 1)
        return affine_shift(b, a.base);
    struct affine sum = merge(p, a, b, c);
    if (sum.n > 1)
        while (recombine(p, &sum))
            ;
    return sum;
}

struct affine affine_add(struct atoms *p, struct affine a, struct affine b)
{
    return affine_add_scaled(p, a, b, 1);
}

struct affine affine_sub(struct atoms *p, struct affine a, struct affine b)
{
    return affine_add_scaled(p, a, b, -1);
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
        sum = affine_add_scaled(p, sum, x, t.coef);
    }
    return sum;
}

/* Quotients and remainders */

/* The terms of a whose coefficient g divides (want true) or does not, divided by g if so. No base. */
static struct affine terms_by(struct atoms *p, struct affine a, int64_t g, bool want)
{
    struct term *t = ARENA_ARRAY(p->arena, struct term, a.n);
    int n = 0;
    for (int i = 0; i < a.n; i++)
        if ((a.terms[i].coef % g == 0) == want)
            t[n++] = (struct term){a.terms[i].atom, want ? a.terms[i].coef / g : a.terms[i].coef};
    return (struct affine){0, n, n ? t : NULL};
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
    if (only && only->kind == ATOM_DIV && !__builtin_mul_overflow(only->by, by, &wide) && wide < INT_SATURATED)
        return affine_div(p, affine_shift(only->of, sat_mul(rest.base, only->by)), wide);
    if (only && only->kind == ATOM_MOD && rest.base == 0 && only->by % by == 0) {
        int64_t b = only->by / by; /* before the pool grows */
        return affine_mod(p, affine_div(p, only->of, by), b);
    }
    return affine_atom(p, atoms_division(p, ATOM_DIV, rest, by));
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
        a = merge(p, merge(p, a, (struct affine){.n = 1, .terms = &t}, -1), at.of, t.coef);
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
        sum = affine_add_scaled(p, sum, d.s, scale);
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
    struct affine m = affine_atom(p, atoms_division(p, ATOM_MOD, a, by));
    return affine_add_scaled(p, sum, m, scale);
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
    struct affine without = merge(p, *a, (struct affine){.n = 2, .terms = pair}, -1);
    *a = merge(p, without, whole, m.coef);
    return true;
}

/* Puts one pair c*(x//c) + x%c (giving x) or c*((x//c)%b) + x%c (giving x%(b*c)) together; false: there is none. */
static bool recombine(struct atoms *p, struct affine *a)
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

uint64_t affine_loops(const struct atoms *p, const struct affine *f, const int *place)
{
    uint64_t bits = 0;
    for (int i = 0; i < f->n; i++) {
        int id = f->terms[i].atom;
        if (p->at[id].kind != ATOM_LOOP)
            bits |= affine_loops(p, &p->at[id].of, place);
        else if (place[id] >= 0)
            bits |= UINT64_C(1) << place[id];
    }
    return bits;
}
