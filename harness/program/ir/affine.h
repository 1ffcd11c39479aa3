/* SPDX-License-Identifier: Apache-2.0 */
/* affine: arithmetic of index forms (atoms.h) that keeps them canonical: terms in ascending order of their atoms, no
 * coefficient 0, quotients and remainders simplified as far as the ranges allow. */
#pragma once
#include "harness/program/ir/atoms.h"

/* All members are given. gcc 12 makes a struct with some left out on the stack, and reads it back in wider words than
 * it wrote: the processor waits for that. Spans, vars and atoms are made likewise. */
static inline struct affine affine_const(int64_t c)
{
    return (struct affine){c, 0, NULL};
}
struct affine affine_atom(struct atoms *p, int atom);
struct affine affine_add(struct atoms *p, struct affine a, struct affine b);
struct affine affine_sub(struct atoms *p, struct affine a, struct affine b);
struct affine affine_add_scaled(struct atoms *p, struct affine a, struct affine b, int64_t c); /* a + c*b */
struct affine affine_scale(struct atoms *p, struct affine a, int64_t c);
struct affine affine_shift(struct affine a, int64_t c);
struct affine affine_div(struct atoms *p, struct affine a, int64_t by); /* floordiv, by > 0 */
struct affine affine_mod(struct atoms *p, struct affine a, int64_t by); /* floormod, by > 0 */
/* Bits place[i] of the LOOP atoms i that the form holds, inside quotients and remainders too; place[i] < 0: no bit. */
uint64_t affine_loops(const struct atoms *p, const struct affine *f, const int *place);
/* Replaces LOOP atoms by forms: atom i by with[i] where has[i]. Atoms at or past nhas stay. */
struct affine affine_replace(struct atoms *p, struct affine a, const struct affine *with, const bool *has, int nhas);
