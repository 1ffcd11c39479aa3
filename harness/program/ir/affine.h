/* SPDX-License-Identifier: Apache-2.0 */
/* affine: integer index expressions as canonical linear forms over atoms.
 *
 * An atom is a loop variable, or floordiv/floormod of an affine form by a positive constant that does not simplify.
 * Every atom has a known inclusive range, so that (8*a + b) / 8 with b in 0..7 becomes a. Equal forms are equal term by
 * term: that makes bounds cancel, regions comparable, and the state text canonical. Forms live in the pool's arena. */
#pragma once
#include "harness/base/arena.h"
#include "harness/base/text.h"

#include <stdbool.h>
#include <stdint.h>

struct term {
    int atom;
    int64_t coef; /* never 0 */
};
struct affine {
    int64_t base;
    int n;                    /* number of terms */
    const struct term *terms; /* ascending atom */
};
enum atom_kind { ATOM_LOOP, ATOM_DIV, ATOM_MOD };
struct atom {
    enum atom_kind kind;
    int64_t lo, hi;   /* inclusive range of the value */
    const char *name; /* LOOP: for printing; need not be unique */
    struct affine of; /* DIV, MOD: floordiv(of, by) or floormod(of, by) */
    int64_t by;
    uint32_t key; /* DIV, MOD: for interning */
};
struct atoms { /* the pool */
    struct arena *arena;
    struct atom *at;
    int n, cap;
};

struct atoms *atoms_new(struct arena *a);
struct atoms *atoms_copy(struct arena *a, const struct atoms *p);  /* names are shared */
struct affine affine_copy(struct arena *a, struct affine f);       /* terms copied into a */
int atoms_loop(struct atoms *p, const char *name, int64_t extent); /* new variable in 0..extent-1 */

static inline struct affine affine_const(int64_t c)
{
    return (struct affine){.base = c};
}
struct affine affine_atom(struct atoms *p, int atom);
struct affine affine_add(struct atoms *p, struct affine a, struct affine b);
struct affine affine_sub(struct atoms *p, struct affine a, struct affine b);
struct affine affine_scale(struct atoms *p, struct affine a, int64_t c);
struct affine affine_shift(struct affine a, int64_t c);
struct affine affine_div(struct atoms *p, struct affine a, int64_t by); /* floordiv, by > 0 */
struct affine affine_mod(struct atoms *p, struct affine a, int64_t by); /* floormod, by > 0 */
/* Replaces LOOP atoms by forms; with[i].terms may be used when has[i]. Atoms at or past nhas stay. */
struct affine affine_replace(struct atoms *p, struct affine a, const struct affine *with, const bool *has, int nhas);
bool affine_equal(struct affine a, struct affine b);
static inline bool affine_is_const(struct affine a)
{
    return a.n == 0;
}
void affine_range(const struct atoms *p, struct affine a, int64_t *lo, int64_t *hi); /* inclusive, sound, saturating */
/* Inclusive range of a when the LOOP atoms with free[atom] run over their range and all others are fixed: its width
 * only (hi - lo over the free part, an upper bound when div/mod atoms mix both). Atoms at or past nfree are fixed. */
int64_t affine_width(const struct atoms *p, struct affine a, const bool *free, int nfree);
bool affine_uses(const struct atoms *p, struct affine a, int atom);                      /* also inside div/mod */
int64_t affine_eval(const struct atoms *p, struct affine a, const int64_t *loop_values); /* by atom id */
void affine_print(const struct atoms *p, struct affine a, struct text *out);             /* "i*4 + j % 3 + 1" */
