/* SPDX-License-Identifier: Apache-2.0 */
/* affine: typed-in simplifications, and a property test in which random forms are built twice, as affine forms and as
 * plain trees, and compared at random points: value, range, width, replacement. */
#include "harness/program/ir/affine.h"
#include "harness/base/rng.h"
#include "tests/lib/tap.h"

#include <string.h>

static struct arena *arena;

static const char *shown(const struct atoms *p, struct affine a)
{
    static struct text t;
    text_clear(&t);
    affine_print(p, a, &t);
    return text_str(&t);
}

static void test_simplify(void)
{
    struct atoms *p = atoms_new(arena);
    struct affine i = affine_atom(p, atoms_loop(p, "i", 10)), j = affine_atom(p, atoms_loop(p, "j", 8));
    struct affine x = affine_atom(p, atoms_loop(p, "x", 1000)), y = affine_atom(p, atoms_loop(p, "y", 1000));
    struct affine ij = affine_add(p, affine_scale(p, i, 8), j);
    is_str(shown(p, ij), "i*8 + j", "a sum");
    is_str(shown(p, affine_div(p, ij, 8)), "i", "(8i + j)//8, j in 0..7");
    is_str(shown(p, affine_mod(p, ij, 8)), "j", "(8i + j)%%8");
    is_str(shown(p, affine_div(p, affine_shift(ij, -8), 8)), "i - 1", "a negative base");
    is_str(shown(p, affine_div(p, ij, 16)), "i // 2", "a small part inside the cell leaves");
    is_str(shown(p, affine_mod(p, ij, 16)), "j + i % 2*8", "and comes back in the remainder");
    is_str(shown(p, affine_div(p, ij, 80)), "0", "a range inside one cell is a constant");
    is_str(shown(p, affine_mod(p, ij, 80)), "i*8 + j", "the remainder of it is itself");
    is_str(shown(p, affine_div(p, affine_div(p, x, 5), 4)), "x // 20", "(x//5)//4");
    is_str(shown(p, affine_mod(p, affine_mod(p, x, 20), 5)), "x % 5", "(x%%20)%%5");
    is_str(shown(p, affine_div(p, affine_mod(p, x, 20), 5)), "x // 5 % 4", "(x%%20)//5");
    is_str(shown(p, affine_div(p, affine_scale(p, x, 6), 9)), "(x*2) // 3", "(6x)//9");
    is_str(shown(p, affine_div(p, affine_shift(affine_scale(p, x, 6), 4), 9)), "(x*2 + 1) // 3", "(6x + 4)//9");
    is_str(shown(p, affine_mod(p, affine_scale(p, x, 6), 9)), "(x*2) % 3*3", "(6x)%%9");
    struct affine d = affine_scale(p, affine_div(p, x, 7), 7), m = affine_mod(p, x, 7);
    is_str(shown(p, affine_add(p, d, m)), "x", "7*(x//7) + x%%7");
    is_str(shown(p, affine_add(p, affine_scale(p, m, 3), affine_add(p, y, affine_scale(p, d, 3)))), "x*3 + y",
           "the same, scaled, with another term");
    struct affine mid = affine_mod(p, affine_div(p, x, 7), 11);
    is_str(shown(p, affine_add(p, affine_scale(p, mid, 7), m)), "x % 77", "7*((x//7)%%11) + x%%7");
    is_str(shown(p, affine_sub(p, affine_add(p, x, y), x)), "y", "terms cancel");
    ok(affine_equal(affine_div(p, x, 9), affine_div(p, x, 9)), "equal quotients are one atom");
    is_str(shown(p, affine_sub(p, affine_const(3), x)), "-x + 3", "a negative term first");
}

static void test_width(void)
{
    struct atoms *p = atoms_new(arena);
    int o = atoms_loop(p, "o", 100), i = atoms_loop(p, "i", 8);
    struct affine fo = affine_atom(p, o), fi = affine_atom(p, i);
    bool free[2] = {false, true};
    struct affine aligned = affine_add(p, affine_scale(p, fo, 12), fi),
                  crooked = affine_add(p, affine_scale(p, fo, 7), fi);
    is_int(affine_width(p, aligned, free, 2), 7, "the free loop alone");
    is_int(affine_width(p, affine_div(p, aligned, 6), free, 2), 1, "aligned quotient");
    is_int(affine_width(p, affine_div(p, crooked, 6), free, 2), 2, "unaligned quotient, rounded up");
    is_int(affine_width(p, affine_mod(p, crooked, 6), free, 2), 5, "a remainder that wraps");
    is_int(affine_width(p, affine_div(p, fo, 6), free, 2), 0, "nothing free");
}

/* A plain tree for the property test: value at a point is computed without any simplification. */
struct tree {
    char op; /* 'v' loop, 'c' constant, '+', '-', '*', '/', '%' */
    int64_t c;
    struct tree *x, *y;
};
enum { LOOPS = 4 };

static int64_t tree_eval(const struct tree *t, const int64_t *v)
{
    int64_t x = t->x ? tree_eval(t->x, v) : 0, y = t->y ? tree_eval(t->y, v) : 0;
    switch (t->op) {
    case 'v':
        return v[t->c];
    case 'c':
        return t->c;
    case '+':
        return x + y;
    case '-':
        return x - y;
    case '*':
        return x * t->c;
    default:;
    }
    int64_t q = x / t->c - (x % t->c < 0);
    return t->op == '/' ? q : x - q * t->c;
}

static struct tree *grow(struct rng *r, struct atoms *p, int depth, struct affine *f)
{
    static const int64_t FACTORS[] = {2, 3, 4, 5, 6, 8, 12, 16, 7};
    struct tree *t = ARENA_NEW(arena, struct tree);
    struct affine g = affine_const(0);
    int pick = depth == 0 ? (int)rng_below(r, 4) / 3 : 2 + (int)rng_below(r, 6);
    t->op = "vc+-*/%+"[pick];
    if (pick >= 2)
        t->x = grow(r, p, depth - 1, f);
    if (t->op == '+' || t->op == '-')
        t->y = grow(r, p, depth - 1 - (int)rng_below(r, (uint64_t)depth), &g);
    t->c = pick == 0   ? (int64_t)rng_below(r, LOOPS)
           : pick == 1 ? (int64_t)rng_below(r, 21) - 10
                       : FACTORS[rng_below(r, 9)];
    if (t->op == '*' && rng_below(r, 8) == 0)
        t->c = -t->c;
    *f = t->op == 'v'   ? affine_atom(p, (int)t->c)
         : t->op == 'c' ? affine_const(t->c)
         : t->op == '+' ? affine_add(p, *f, g)
         : t->op == '-' ? affine_sub(p, *f, g)
         : t->op == '*' ? affine_scale(p, *f, t->c)
         : t->op == '/' ? affine_div(p, *f, t->c)
                        : affine_mod(p, *f, t->c);
    return t;
}

static bool well_formed(const struct atoms *p, struct affine a)
{
    for (int i = 0; i < a.n; i++)
        if (a.terms[i].coef == 0 || a.terms[i].atom < 0 || a.terms[i].atom >= p->n ||
            (i > 0 && a.terms[i - 1].atom >= a.terms[i].atom))
            return false;
    return true;
}

/* Largest spread over the free loops for a fixed setting of the others. */
static int64_t spread(const struct tree *t, const int64_t *extent, const bool *free, const int64_t *at)
{
    int64_t v[LOOPS], lo = INT64_MAX, hi = INT64_MIN;
    memcpy(v, at, sizeof v);
    for (int64_t k = 0, n = extent[0] * extent[1] * extent[2] * extent[3]; k < n; k++) {
        int64_t rest = k;
        bool once = false;
        for (int l = 0; l < LOOPS; l++) {
            if (free[l])
                v[l] = rest % extent[l];
            else if (rest % extent[l])
                once = true;
            rest /= extent[l];
        }
        if (once)
            continue;
        int64_t x = tree_eval(t, v);
        lo = x < lo ? x : lo;
        hi = x > hi ? x : hi;
    }
    return hi - lo;
}

struct wrong {
    int forms, value, range, width, replace;
};

static void test_one(struct rng *r, struct wrong *w)
{
    struct atoms *p = atoms_new(arena);
    int64_t extent[LOOPS], v[LOOPS], lo, hi;
    for (int l = 0; l < LOOPS; l++)
        atoms_loop(p, (const char *[]){"a", "b", "c", "d"}[l], extent[l] = 1 + (int64_t)rng_below(r, l < 2 ? 13 : 6));
    struct affine f;
    struct tree *t = grow(r, p, 1 + (int)rng_below(r, 4), &f);
    w->forms += !well_formed(p, f);
    affine_range(p, f, &lo, &hi);
    struct affine with[LOOPS];
    bool has[LOOPS], free[LOOPS];
    for (int l = 0; l < LOOPS; l++) {
        free[l] = rng_below(r, 2);
        has[l] = rng_below(r, 2);
        /* a form of other loops that stays inside the replaced loop's range */
        with[l] = affine_mod(p, affine_shift(affine_scale(p, affine_atom(p, (l + 1) % LOOPS), 3), 1), extent[l]);
    }
    struct affine swapped = affine_replace(p, f, with, has, LOOPS);
    w->forms += !well_formed(p, swapped);
    int64_t width = affine_width(p, f, free, LOOPS);
    for (int k = 0; k < 12; k++) {
        int64_t u[LOOPS];
        for (int l = 0; l < LOOPS; l++)
            v[l] = (int64_t)rng_below(r, (uint64_t)extent[l]);
        int64_t x = tree_eval(t, v);
        w->value += affine_eval(p, f, v) != x;
        w->range += x < lo || x > hi;
        for (int l = 0; l < LOOPS; l++)
            u[l] = has[l] ? affine_eval(p, with[l], v) : v[l];
        w->replace += affine_eval(p, swapped, v) != tree_eval(t, u);
    }
    w->width += spread(t, extent, free, v) > width;
}

static void test_property(void)
{
    struct rng r;
    struct wrong w = {0};
    rng_seed(&r, 7);
    for (int i = 0; i < 20000; i++) {
        struct arena_mark mark = arena_mark(arena);
        test_one(&r, &w);
        arena_release(arena, mark);
    }
    is_int(w.forms, 0, "20000 random forms: terms ascending, none zero");
    is_int(w.value, 0, "their values are those of the plain expression");
    is_int(w.range, 0, "every value lies in the range");
    is_int(w.width, 0, "no spread over the free loops exceeds the width");
    is_int(w.replace, 0, "replacing loops replaces them in the value");
}

static void test_saturation(void)
{
    struct atoms *p = atoms_new(arena);
    struct affine x = affine_atom(p, atoms_loop(p, "x", INT64_MAX / 8));
    int64_t lo, hi;
    affine_range(p, affine_scale(p, x, INT64_MAX / 8), &lo, &hi);
    ok(lo == 0 && hi > INT64_MAX / 8, "a range beyond 64 bits saturates");
    struct atoms *q = atoms_copy(arena, p);
    is_str(shown(q, affine_div(q, x, 3)), "x // 3", "a copied pool grows on its own");
    is_int(p->n, 1, "and leaves the first alone");
}

int main(void)
{
    arena = arena_open("test");
    test_simplify();
    test_width();
    test_property();
    test_saturation();
    arena_close(arena);
    return done_testing();
}
