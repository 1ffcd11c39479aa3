/* SPDX-License-Identifier: Apache-2.0 */
/* affine: typed-in simplifications, and a property test in which random forms are built twice, as affine forms and as
 * plain trees, and compared at random points: value, range, replacement. */
#include "harness/program/ir/affine.h"
#include "harness/base/int_math.h"
#include "harness/base/rng.h"
#include "tests/lib/fixture.h"
#include "tests/lib/tap.h"

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
    is_str(shown(p, ij), "i*8 + j", "a sum of two loops prints in order");
    is_str(shown(p, affine_div(p, ij, 8)), "i", "(8i + j) // 8 is i, as j stays below 8");
    is_str(shown(p, affine_mod(p, ij, 8)), "j", "(8i + j) %% 8 is j, as j stays below 8");
    is_str(shown(p, affine_div(p, affine_shift(ij, -8), 8)), "i - 1",
           "a negative constant leaves a quotient as a whole number");
    is_str(shown(p, affine_div(p, ij, 16)), "i // 2", "a part below the divisor leaves the quotient");
    is_str(shown(p, affine_mod(p, ij, 16)), "j + i % 2*8", "the part that left the quotient stands in the remainder");
    is_str(shown(p, affine_div(p, ij, 80)), "0", "the quotient of a form below the divisor is 0");
    is_str(shown(p, affine_mod(p, ij, 80)), "i*8 + j", "the remainder of a form below the divisor is the form");
    is_str(shown(p, affine_div(p, affine_div(p, x, 5), 4)), "x // 20", "(x // 5) // 4 is x // 20");
    is_str(shown(p, affine_mod(p, affine_mod(p, x, 20), 5)), "x % 5", "(x %% 20) %% 5 is x %% 5");
    is_str(shown(p, affine_div(p, affine_mod(p, x, 20), 5)), "x // 5 % 4", "(x %% 20) // 5 is (x // 5) %% 4");
    is_str(shown(p, affine_div(p, affine_scale(p, x, 6), 9)), "(x*2) // 3", "(6x) // 9 loses the common factor");
    is_str(shown(p, affine_div(p, affine_shift(affine_scale(p, x, 6), 4), 9)), "(x*2 + 1) // 3",
           "(6x + 4) // 9 loses the common factor");
    is_str(shown(p, affine_mod(p, affine_scale(p, x, 6), 9)), "(x*2) % 3*3", "(6x) %% 9 loses the common factor");
    struct affine d = affine_scale(p, affine_div(p, x, 7), 7), m = affine_mod(p, x, 7);
    is_str(shown(p, affine_add(p, d, m)), "x", "7 * (x // 7) + x %% 7 is x again");
    is_str(shown(p, affine_add(p, affine_scale(p, m, 3), affine_add(p, y, affine_scale(p, d, 3)))), "x*3 + y",
           "a scaled quotient and remainder join beside another term");
    struct affine mid = affine_mod(p, affine_div(p, x, 7), 11);
    is_str(shown(p, affine_add(p, affine_scale(p, mid, 7), m)), "x % 77", "7 * ((x // 7) %% 11) + x %% 7 is x %% 77");
    is_str(shown(p, affine_sub(p, affine_add(p, x, y), x)), "y", "equal terms cancel");
    ok(affine_equal(affine_div(p, x, 9), affine_div(p, x, 9)), "equal quotients are one atom");
    is_str(shown(p, affine_sub(p, affine_const(3), x)), "-x + 3", "a negative term may stand first");
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
    int64_t q = x / t->c - (x % t->c < 0); /* not int_math.h, which the tested code uses */
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

/* The value of a form at a point: v by number of the loop. */
static int64_t form_eval(const struct atoms *p, struct affine f, const int64_t *v)
{
    int64_t sum = f.base;
    for (int i = 0; i < f.n; i++) {
        const struct atom *at = &p->at[f.terms[i].atom];
        int64_t x = at->kind == ATOM_LOOP ? v[f.terms[i].atom] : form_eval(p, at->of, v);
        if (at->kind == ATOM_DIV)
            x = floor_div(x, at->by);
        else if (at->kind == ATOM_MOD)
            x = floor_mod(x, at->by);
        sum += f.terms[i].coef * x;
    }
    return sum;
}

struct wrong {
    int forms, value, range, replace;
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
    bool has[LOOPS];
    for (int l = 0; l < LOOPS; l++) {
        has[l] = rng_below(r, 2);
        /* a form of other loops that stays inside the replaced loop's range */
        with[l] = affine_mod(p, affine_shift(affine_scale(p, affine_atom(p, (l + 1) % LOOPS), 3), 1), extent[l]);
    }
    struct affine swapped = affine_replace(p, f, with, has, LOOPS);
    w->forms += !well_formed(p, swapped);
    for (int k = 0; k < 12; k++) {
        int64_t u[LOOPS];
        for (int l = 0; l < LOOPS; l++)
            v[l] = (int64_t)rng_below(r, (uint64_t)extent[l]);
        int64_t x = tree_eval(t, v);
        w->value += form_eval(p, f, v) != x;
        w->range += x < lo || x > hi;
        for (int l = 0; l < LOOPS; l++)
            u[l] = has[l] ? form_eval(p, with[l], v) : v[l];
        w->replace += form_eval(p, swapped, v) != tree_eval(t, u);
    }
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
    is_int(w.forms, 0, "20000 random forms have ascending terms and no coefficient 0");
    is_int(w.value, 0, "20000 random forms have the values of the plain expressions");
    is_int(w.range, 0, "every value of a random form lies in its range");
    is_int(w.replace, 0, "replacing loops of a form replaces them in its value");
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
    is_int(p->n, 1, "a copied pool leaves the first one alone");
}

int main(void)
{
    test_simplify();
    test_property();
    test_saturation();
    return done_testing();
}
