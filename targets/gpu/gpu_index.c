/* SPDX-License-Identifier: Apache-2.0 */
/* gpu_index: quotients and remainders are C's, of something that is not negative: what may be negative is moved up by
 * a multiple of the divisor first (TVM: LowerFloorDiv). */
#include "targets/gpu/gpu_index.h"

#include "harness/base/int_math.h"

struct affine gpu_index_known(struct gpu_emitter *em, struct affine f)
{
    return affine_replace(em->nest->atoms, f, em->with, em->has, em->natoms);
}

struct affine gpu_index_relative(struct gpu_emitter *em, const struct buffer *b, const struct affine *index)
{
    return buffer_offset(em->nest->atoms, b, index);
}

struct affine gpu_index_now(struct gpu_emitter *em, const struct buffer *b, const struct affine *index)
{
    const struct gpu_storage *s = &em->storage[b->id];
    int64_t copy = 0;
    for (int i = 0; i < em->nvthreads; i++)
        if (s->copies >> i & 1)
            copy = copy * em->vthreads[i].extent + em->with[em->vthreads[i].atom].base;
    return affine_shift(gpu_index_known(em, gpu_index_relative(em, b, index)), copy * s->elements);
}

/* By how much what is divided is moved up. */
static int64_t lift(struct gpu_emitter *em, const struct atom *a)
{
    int64_t lo, hi;
    affine_range(em->nest->atoms, a->of, &lo, &hi);
    return lo < 0 ? (-lo + a->by - 1) / a->by * a->by : 0;
}

/* Whether every part of the sum, and of what is divided in it, is an int. */
static bool fits_int(struct gpu_emitter *em, struct affine f)
{
    int64_t low = f.base < 0 ? f.base : 0, high = f.base > 0 ? f.base : 0;
    for (int i = 0; i < f.n; i++) {
        const struct atom a = em->nest->atoms->at[f.terms[i].atom];
        int64_t x = sat_mul(a.lo, f.terms[i].coef), y = sat_mul(a.hi, f.terms[i].coef);
        int64_t least = x < y ? x : y, most = x < y ? y : x;
        low = sat_add(low, least < 0 ? least : 0);
        high = sat_add(high, most > 0 ? most : 0);
        if (a.kind != ATOM_LOOP && (a.by > INT32_MAX || !fits_int(em, affine_shift(a.of, lift(em, &a)))))
            return false;
    }
    return low >= INT32_MIN && high <= INT32_MAX;
}

static void sum_text(struct gpu_emitter *em, struct affine f, bool wide, struct text *out);

static void division_text(struct gpu_emitter *em, int atom, bool wide, struct text *out)
{
    const struct atom a = em->nest->atoms->at[atom]; /* the pool may grow */
    int64_t up = lift(em, &a);
    text_add(out, up && a.kind == ATOM_DIV ? "((" : "(");
    sum_text(em, affine_shift(a.of, up), wide, out);
    text_printf(out, " %c %lld)", a.kind == ATOM_DIV ? '/' : '%', (long long)a.by);
    if (up && a.kind == ATOM_DIV)
        text_printf(out, " - %lld)", (long long)(up / a.by));
}

static void atom_text(struct gpu_emitter *em, int atom, bool wide, struct text *out)
{
    if (em->nest->atoms->at[atom].kind != ATOM_LOOP) {
        division_text(em, atom, wide, out);
        return;
    }
    if (wide)
        text_printf(out, "(%s)", em->dialect->int64);
    if (!em->names[atom])
        gpu_fail(em, "the loop '%s' is used outside of itself", em->nest->atoms->at[atom].name);
    else
        text_add(out, em->names[atom]);
}

/* In brackets when it is more than one thing. */
static void sum_text(struct gpu_emitter *em, struct affine f, bool wide, struct text *out)
{
    bool several = f.n + (f.base != 0) > 1;
    text_add(out, several ? "(" : "");
    for (int i = 0; i < f.n; i++) {
        int64_t coef = f.terms[i].coef;
        text_add(out, i ? " + " : "");
        if (coef != 1)
            text_char(out, '(');
        atom_text(em, f.terms[i].atom, wide, out);
        if (coef != 1)
            text_printf(out, " * %lld)", (long long)coef);
    }
    if (f.base || f.n == 0)
        text_printf(out, f.n ? (f.base < 0 ? " - %lld" : " + %lld") : "%lld",
                    (long long)(f.n && f.base < 0 ? -f.base : f.base));
    text_add(out, several ? ")" : "");
}

void gpu_index_text(struct gpu_emitter *em, struct affine f, struct text *out)
{
    sum_text(em, f, !fits_int(em, f), out);
}
