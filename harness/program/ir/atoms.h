/* SPDX-License-Identifier: Apache-2.0 */
/* atoms: integer index forms, what they are made of, and questions about one. Their arithmetic is in affine.h.
 *
 * A form is base + sum of coefficient * atom. An atom is a loop variable, or the floor quotient or remainder of a form
 * by a positive constant that does not simplify. Every atom has a known inclusive range, so that (8*a + b) // 8 with b
 * in 0..7 becomes a. Equal forms are equal term by term: that makes bounds cancel, regions comparable, and the text of
 * a state canonical. Forms lie in the arena of their pool of atoms. */
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
    struct affine of; /* DIV, MOD: what is divided, by what */
    int64_t by;
    uint32_t key; /* DIV, MOD: hash of the three, to find an equal atom */
};
struct atoms { /* the pool */
    struct arena *arena;
    struct atom *at;
    int n, cap;
};

struct atoms *atoms_new(struct arena *a);
struct atoms *atoms_copy(struct arena *a, const struct atoms *p);  /* names are shared */
int atoms_loop(struct atoms *p, const char *name, int64_t extent); /* new variable in 0..extent-1 */
/* The floor quotient (ATOM_DIV) or remainder (ATOM_MOD) of a form that does not simplify; equal ones are one atom. */
int atoms_division(struct atoms *p, enum atom_kind kind, struct affine of, int64_t by);

struct affine affine_copy(struct arena *a, struct affine f); /* terms copied into a */
bool affine_equal(struct affine a, struct affine b);
static inline bool affine_is_const(struct affine a)
{
    return a.n == 0;
}
void affine_range(const struct atoms *p, struct affine a, int64_t *lo, int64_t *hi); /* inclusive, sound, saturating */
bool affine_uses(const struct atoms *p, struct affine a, int atom);                  /* also inside div and mod */
void affine_print(const struct atoms *p, struct affine a, struct text *out);         /* "i*4 + j % 3 + 1" */
/* The power of two, up to limit, that divides the value of a form whatever its atoms are (TVM: ModularSet). */
int64_t affine_divisor(const struct atoms *p, struct affine f, int64_t limit);
