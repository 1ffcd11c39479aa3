/* SPDX-License-Identifier: Apache-2.0 */
/* affine: sorted term lists over interned atoms. This is the hot path of lowering (12,000 nests a search round), so: no
 * malloc, no search but the one for an equal div or mod atom (a 32-bit key compared over a short array), and a range is
 * computed once when its atom is made.
 *
 * Canonical form of a quotient. For x // c the terms of x divisible by c leave it; of what remains (the rest, its base
 * in 0..c-1) terms and base are split into g*y + s with g a divisor of c and s inside one cell of width g, and the
 * quotient is y // (c/g); x % c is g*(y % (c/g)) + s. So both see the same y, and c*(x//c) + x%c is put together again
 * by add. (x//a)//b is x//(a*b); (c*(x%m)) % k is (c*x) % k when k divides c*m; (x%(a*b))//a is (x//a)%b. Arithmetic
 * saturates: schedules with absurd numbers are refused elsewhere, here they must only not be undefined. */
#include "harness/program/affine.h"

#include "harness/base/err.h"

#include <string.h>

#define SATURATED (INT64_MAX / 4)

static inline int64_t clamp(int64_t v)
{
    return v > SATURATED ? SATURATED : v < -SATURATED ? -SATURATED : v;
}

static inline int64_t sat_add(int64_t a, int64_t b)
{
    return clamp(clamp(a) + clamp(b));
}

static inline int64_t sat_mul(int64_t a, int64_t b)
{
    int64_t r;
    if (__builtin_mul_overflow(a, b, &r))
        return (a < 0) == (b < 0) ? SATURATED : -SATURATED;
    return clamp(r);
}

static inline int64_t floor_div(int64_t a, int64_t b)
{
    int64_t q = a / b;
    return q - (a % b < 0);
}

static inline int64_t floor_mod(int64_t a, int64_t b)
{
    int64_t r = a % b;
    return r < 0 ? r + b : r;
}

static int64_t gcd(int64_t a, int64_t b)
{
    a = a < 0 ? -a : a;
    b = b < 0 ? -b : b;
    while (b) {
        int64_t r = a % b;
        a = b;
        b = r;
    }
    return a;
}

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

static int atom_push(struct atoms *p, struct atom at)
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
    return atom_push(p, (struct atom){.kind = ATOM_LOOP, .lo = 0, .hi = extent - 1, .name = name});
}

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
    return atom_push(p, at);
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

/* Puts one pair c*(x//c) + x%c (giving x) or c*((x//c)%b) + x%c (giving x%(b*c)) together. */
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

static struct affine add_scaled(struct atoms *p, struct affine a, struct affine b, int64_t c)
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

/* Quotients */

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
