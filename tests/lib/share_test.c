/* SPDX-License-Identifier: Apache-2.0 */
/* share_test: see share_test.h. */
#include "tests/lib/share_test.h"

#include "search/sketch/draw.h"
#include "tests/lib/chi_square_test.h"
#include "tests/lib/fixture.h"
#include "tests/lib/tap.h"

#include <stdio.h>

#define BOUND 1e-4

static const char *name_of(char out[400], const char *name, va_list args)
{
    vsnprintf(out, 400, name, args);
    return out;
}

static bool verdict(bool wanted, struct chi_square_test g, const char *name)
{
    bool fits = g.p > BOUND, fails = g.p < BOUND; /* NaN is neither */
    return ok(wanted ? fits : fails, "%s%s: %lld counts, chi-square %.2f, %g degrees of freedom, p %.2g",
              wanted ? "" : "refused: ", name, (long long)g.total, g.statistic, g.df, g.p);
}

bool likely(const int64_t *counts, const double *shares, int n, const char *name, ...)
{
    char text[400];
    va_list args;
    va_start(args, name);
    bool good = verdict(true, chi_square_test(counts, shares, n), name_of(text, name, args));
    va_end(args);
    return good;
}

bool unlikely(const int64_t *counts, const double *shares, int n, const char *name, ...)
{
    char text[400];
    va_list args;
    va_start(args, name);
    bool good = verdict(false, chi_square_test(counts, shares, n), name_of(text, name, args));
    va_end(args);
    return good;
}

bool likely_even(const int64_t *counts, int n, const char *name, ...)
{
    static double shares[65536];
    char text[400];
    va_list args;
    for (int i = 0; i < n; i++)
        shares[i] = 1;
    va_start(args, name);
    bool good = verdict(true, chi_square_test(counts, shares, n), name_of(text, name, args));
    va_end(args);
    return good;
}

void tuples_make(struct tuples *t, int64_t extent, int n, int64_t cap)
{
    *t = (struct tuples){.n = n, .extent = extent};
    for (int64_t x = 1; x <= extent; x++)
        for (int64_t y = 1; extent % x == 0 && y <= (n > 1 ? extent / x : 1); y++)
            for (int64_t z = 1; extent / x % y == 0 && z <= (n > 2 ? extent / x / y : 1); z++) {
                int64_t last = n == 1 ? x : n == 2 ? y : z;
                if (extent / x / y % z != 0 || last > cap)
                    continue;
                if (t->count == 4096)
                    bug("too many tuples of %lld", (long long)extent);
                int64_t *at = t->at[t->count++];
                at[0] = x;
                at[1] = y;
                at[2] = z;
            }
}

int tuples_find(const struct tuples *t, const int64_t *lengths)
{
    for (int i = 0; i < t->count; i++) {
        bool same = true;
        for (int k = 0; k < t->n; k++)
            same = same && t->at[i][k] == lengths[k];
        if (same)
            return i;
    }
    return -1;
}

int64_t tuple_outer(const struct tuples *t, int i)
{
    return t->extent / (t->at[i][0] * t->at[i][1] * t->at[i][2]);
}

static void open_space(struct space *sp, struct arena *a, const char *spec, struct limits limits)
{
    static const struct space_options defaults = {
        .max_vectorize = 16, .cpu_structure = "SSRSRS", .gpu_structure = "SSSRRSRS"};
    struct err err = {0};
    if (!space_open(sp, a, fixture_task(a, spec), &limits, &defaults, &err))
        bug("%s: %s", spec, err.text);
}

void share_test_space(struct space *sp, struct arena *a, const char *spec, int cores)
{
    open_space(sp, a, spec, limits_cpu(cores));
}

void share_test_gpu_space(struct space *sp, struct arena *a, const char *spec)
{
    open_space(sp, a, spec, limits_cuda());
}

void share_test_plain(struct space *sp)
{
    for (int i = 0; i < sp->nsketches; i++) {
        bool attaches = false;
        for (int k = 0; k < sp->sketches[i].nsteps; k++)
            attaches = attaches || sp->sketches[i].steps[k].kind == STEP_CA;
        if (attaches)
            continue;
        sp->sketches += i;
        sp->nsketches = 1;
        return;
    }
    bug("no plain sketch of '%s'", sp->task->spec);
}

struct genome share_test_genome(const struct space *sp, struct arena *keep, struct arena *work, struct rng *r)
{
    for (int i = 0; i < 1000; i++) {
        struct arena_mark mark = arena_mark(work);
        struct state *s = draw_state(sp, work, r, NULL, NULL);
        struct genome g = {0};
        if (s)
            g = (struct genome){steps_copy(keep, s->steps, s->nsteps), s->nsteps};
        arena_release(work, mark);
        if (s)
            return g;
    }
    bug("no valid program in 1000 draws");
}

const struct mutation *share_test_mutation(const char *name)
{
    for (int i = 0; i < MUTATIONS; i++)
        if (str_eq(mutations[i].name, name))
            return &mutations[i];
    bug("no mutation '%s'", name);
}

void share_test_open(struct trace_space *tr, struct arena *a, const struct task *t, const struct limits *limits)
{
    struct trace_options o = trace_defaults();
    struct err err = {0};
    if (!trace_space_open(tr, a, t, limits, &o, &err))
        bug("%s: %s", t->spec, err.text);
}

void share_test_traces(struct trace_space *tr, struct arena *a, const char *spec, int cores)
{
    struct limits limits = limits_cpu(cores);
    share_test_open(tr, a, fixture_task(a, spec), &limits);
}

bool share_test_found(const struct trace_space *tr, struct arena *work, const struct state *s)
{
    struct trace t;
    struct step *steps = steps_copy(work, s->steps, s->nsteps);
    if (!trace_find(tr, work, steps, s->nsteps, &t))
        return false;
    struct state *again = trace_replay(tr, work, &t, NULL, NULL, NULL);
    return again && state_hash(again) == state_hash(s);
}

int share_test_layout(const struct trace_space *tr)
{
    for (int i = 0; i < tr->space.nsketches; i++)
        if (tr->space.sketches[i].state->nstages == tr->space.task->dag->nops)
            return i;
    bug("no plain design space of '%s'", tr->space.task->spec);
}
