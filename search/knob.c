/* SPDX-License-Identifier: Apache-2.0 */
/* knob: droplet.md 4.5. Lengths are changed independently, so products need not divide the extent: lowering guards the
 * tail. */
#include "search/knob.h"

#include "harness/base/hash.h"
#include "harness/program/bound.h"

#include <math.h>
#include <string.h>

enum { MOST_VALUES = 96, MOST_FACTOR = 64 };

static const int64_t split_values[] = {1, 2, 4, 8, 16, 24, 32, 48, 64};
static const int64_t meta_values[] = {2, 4, 8, 16, 32, 64}, meta_unrolls[] = {128, 256, 512, 1024, 2048};
static const int64_t unroll_values[] = {64, 128, 256, 512}, all_unroll_values[] = {0, 16, 64, 128, 256, 512};
static const int64_t meta_parallel[] = {32, 64, 128, 256, 512}, meta_vector[] = {16, 32, 64, 128, 256};
#define COUNT(a) ((int)(sizeof(a) / sizeof *(a)))

struct list {
    int64_t at[MOST_VALUES];
    int n;
};

static void add(struct list *l, int64_t v)
{
    for (int i = 0; i < l->n; i++)
        if (l->at[i] == v)
            return;
    if (l->n < MOST_VALUES)
        l->at[l->n++] = v;
}

static void sort(struct list *l)
{
    for (int i = 1; i < l->n; i++) {
        int64_t v = l->at[i];
        int k = i;
        for (; k > 0 && l->at[k - 1] > v; k--)
            l->at[k] = l->at[k - 1];
        l->at[k] = v;
    }
}

static void put(struct arena *a, struct list *l, int64_t seed, int step, int place, struct knob *out)
{
    *out = (struct knob){.step = step, .place = place, .n = l->n, .values = ARENA_DUP(a, l->at, int64_t, l->n)};
    for (int i = 0; i < l->n; i++)
        if (l->at[i] == seed)
            out->origin = i;
}

static void split_list(struct list *l, int64_t seed, int64_t extent, enum knob_values kind)
{
    l->n = 0;
    add(l, kind == KNOB_UNIT ? 1 : seed);
    for (int i = 0; i < COUNT(meta_values) && kind == KNOB_META; i++)
        add(l, meta_values[i]);
    if (kind == KNOB_META)
        return;
    for (int i = kind == KNOB_PAPER ? 2 : kind == KNOB_SORTED ? 0 : 1; i < COUNT(split_values); i++)
        if (split_values[i] <= extent)
            add(l, split_values[i]);
    if (kind != KNOB_SORTED)
        return;
    for (int64_t v = 1; v <= MOST_FACTOR && v <= extent; v++)
        if (extent % v == 0)
            add(l, v);
    sort(l);
}

static bool unroll_list(struct list *l, int64_t seed, enum knob_values kind)
{
    l->n = 0;
    add(l, seed);
    if (kind != KNOB_SORTED) {
        const int64_t *values = kind == KNOB_META ? meta_unrolls : unroll_values;
        for (int i = 0; i < (kind == KNOB_META ? COUNT(meta_unrolls) : COUNT(unroll_values)); i++)
            add(l, values[i]);
        return seed != 0;
    }
    for (int i = 0; i < COUNT(all_unroll_values); i++)
        add(l, all_unroll_values[i]);
    sort(l);
    return true;
}

int knobs_of(struct arena *a, const struct step *steps, int nsteps, enum knob_values kind, struct knob *out, int max)
{
    int n = 0;
    struct list l;
    for (int i = 0; i < nsteps; i++) {
        const struct step *s = &steps[i];
        if (s->kind == STEP_SP && (s->extent > 1 || kind == KNOB_META))
            for (int k = 0; k < s->n && n < max; k++) {
                split_list(&l, s->list[k], s->extent, kind);
                put(a, &l, s->list[k], i, k, &out[n++]);
            }
        if (s->kind == STEP_PR && n < max && unroll_list(&l, s->value, kind))
            put(a, &l, s->value, i, -1, &out[n++]);
    }
    return n;
}

void knob_extents(struct arena *a, enum knob_loop loop, int64_t seed, int place, struct knob *out)
{
    const int64_t *values = loop == KNOB_PARALLEL ? meta_parallel : meta_vector;
    struct list l = {.n = 0};
    add(&l, seed);
    for (int i = 0; i < COUNT(meta_parallel); i++)
        add(&l, values[i]);
    put(a, &l, seed, -1, place, out);
}

void knob_pragma(struct arena *a, struct step *pragma, int64_t value)
{
    pragma->value = value;
    pragma->text = arena_printf(a, "auto_unroll_max_step$%lld", (long long)value);
}

struct step *knobs_apply(struct arena *a, const struct step *steps, int nsteps, const struct knob *knobs, int n,
                         const int *point)
{
    struct step *out = steps_copy(a, steps, nsteps);
    for (int i = 0; i < n; i++) {
        int64_t v = knobs[i].values[point[i]];
        if (knobs[i].step < 0)
            continue;
        struct step *s = &out[knobs[i].step];
        if (knobs[i].place < 0)
            knob_pragma(a, s, v);
        else
            ((int64_t *)s->list)[knobs[i].place] = v; /* steps_copy gave it its own list */
    }
    return out;
}

/* Identity of a candidate; one that does not apply is known by its steps. */
static uint64_t hash_of(struct arena *a, const struct candidate *c)
{
    struct arena_mark mark = arena_mark(a);
    struct state *s;
    struct err why;
    uint64_t hash;
    if (state_replay(a, c->task, c->steps, c->nsteps, &s, &why) && bound_infer(s, &why)) {
        hash = state_hash(s);
    } else {
        struct text t = {0};
        steps_print(c->steps, c->nsteps, &t);
        hash = hash_str(text_str(&t));
        text_free(&t);
    }
    arena_release(a, mark);
    return hash;
}

struct candidate knob_candidate(struct arena *a, const struct task *task, const struct step *steps, int nsteps)
{
    struct candidate c = {.task = task, .steps = steps, .nsteps = nsteps, .score = NAN};
    c.hash = hash_of(a, &c);
    return c;
}

struct candidate knobs_candidate(struct arena *a, const struct candidate *seed, const struct knob *knobs, int n,
                                 const int *point)
{
    return knob_candidate(a, seed->task, knobs_apply(a, seed->steps, seed->nsteps, knobs, n, point), seed->nsteps);
}
