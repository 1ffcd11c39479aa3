/* SPDX-License-Identifier: Apache-2.0 */
/* draw: the draws of harness/doc/ansor.md, "Random annotation", as distributions, against probabilities worked out here
 * from the text: tile sizes uniform over all tuples, sketches and validity, compute locations, unroll limits, vector
 * loops; and the quirks of search/README.md that belong to sampling. */
#include "search/sketch/draw.h"

#include "harness/program/lower/bound.h"
#include "search/sketch/annotate.h"
#include "search/sketch/location.h"
#include "tests/lib/fixture.h"
#include "tests/lib/share_test.h"
#include "tests/lib/tap.h"

#include <stdlib.h>
#include <string.h>

static const struct step *step_of(const struct step *steps, int n, enum step_kind kind, int64_t extent)
{
    for (int i = 0; i < n; i++)
        if (steps[i].kind == kind && (extent == 0 || steps[i].extent == extent))
            return &steps[i];
    return NULL;
}

/* ---- tile sizes ---- */

/* Shares if lengths were drawn one after the other, each a uniform divisor of what is left: the obvious mistake. */
static void one_by_one(const struct tuples *t, double *shares)
{
    for (int i = 0; i < t->count; i++) {
        int64_t rest = t->extent;
        shares[i] = 1;
        for (int k = 0; k < t->n; k++) {
            int64_t d[DIVISORS_MAX];
            int n = divisors(rest, d);
            while (k == t->n - 1 && d[n - 1] > 64)
                n--;
            shares[i] /= n;
            rest /= t->at[i][k];
        }
    }
}

static void tile_sizes(void)
{
    static struct tuples spatial[2], reduce, uncapped;
    static int64_t got[2][4096], both[4096], all[4096];
    static double shares[4096];
    enum { N = 40000 };
    struct space sp;
    struct rng r;
    int invalid = 0, strange = 0;
    share_test_space(&sp, arena, "dense n=56 ci=12 co=512", 8);
    share_test_plain(&sp);
    tuples_make(&spatial[0], 56, 3, 64);
    tuples_make(&spatial[1], 512, 3, 64);
    tuples_make(&reduce, 12, 1, 64);
    tuples_make(&uncapped, 512, 3, 512);
    rng_seed(&r, 1);
    for (int i = 0; i < N; i++) {
        struct state *s = draw_state(&sp, scratch, &r, NULL, NULL);
        if (s) {
            int x = tuples_find(&spatial[0], step_of(s->steps, s->nsteps, STEP_SP, 56)->list);
            int y = tuples_find(&spatial[1], step_of(s->steps, s->nsteps, STEP_SP, 512)->list);
            int z = tuples_find(&reduce, step_of(s->steps, s->nsteps, STEP_SP, 12)->list);
            strange += x < 0 || y < 0 || z < 0;
            got[0][abs(x)]++;
            got[1][abs(y)]++;
            both[abs(x) * reduce.count + abs(z)]++;
            all[tuples_find(&uncapped, spatial[1].at[abs(y)])]++;
        }
        invalid += !s;
        arena_reset(scratch);
    }
    is_int(invalid + strange, 0, "every draw of a plain sketch is valid, with a tuple of the list");
    likely_even(got[0], spatial[0].count, "tile sizes of 56 in 4 parts are uniform over %d tuples", spatial[0].count);
    likely_even(got[1], spatial[1].count, "tile sizes of 512, innermost at most 64, over %d", spatial[1].count);
    likely_even(both, spatial[0].count * reduce.count, "splits of different loops are independent");
    one_by_one(&spatial[1], shares);
    unlikely(got[1], shares, spatial[1].count, "tile lengths drawn one after the other");
    for (int i = 0; i < uncapped.count; i++)
        shares[i] = 1;
    unlikely(all, shares, uncapped.count, "tile lengths with an innermost one over 64");
}

static void more_tile_sizes(void)
{
    static const int64_t extents[] = {7, 12, 100, 3136};
    static struct tuples t;
    static int64_t got[4096];
    struct rng r;
    rng_seed(&r, 2);
    for (size_t e = 0; e < sizeof extents / sizeof *extents; e++) {
        struct space sp;
        share_test_space(&sp, arena, arena_printf(arena, "dense n=%lld ci=5 co=2", (long long)extents[e]), 8);
        share_test_plain(&sp);
        tuples_make(&t, extents[e], 3, 64);
        memset(got, 0, sizeof got);
        for (int i = 0; i < 20 * t.count; i++) {
            struct state *s = draw_state(&sp, scratch, &r, NULL, NULL);
            got[s ? abs(tuples_find(&t, step_of(s->steps, s->nsteps, STEP_SP, extents[e])->list)) : 4095]++;
            arena_reset(scratch);
        }
        likely_even(got, t.count, "tile sizes of %lld over %d tuples", (long long)extents[e], t.count);
    }
}

/* ---- sketches, and what nested parallel loops throw away ---- */

/* Share of tuples whose `parts` outermost parts are all 1. */
static double hollow(const struct tuples *t, int parts)
{
    int n = 0;
    for (int i = 0; i < t->count; i++)
        n += tuple_outer(t, i) == 1 && (parts < 2 || t->at[i][0] == 1);
    return (double)n / t->count;
}

/* Three sketches, each drawn with chance 1/3; fused at level L, the consumer's loops are the L outermost parts of both
 * axes. When these all have extent 1, the parallel mark goes inside as well as outside, and the program is invalid. */
static void sketches(void)
{
    static struct tuples x, y;
    enum { N = 30000 };
    int64_t got[4] = {0};
    struct space sp;
    struct rng r;
    share_test_space(&sp, arena, "dense n=12 ci=6 co=128", 4);
    tuples_make(&x, 12, 3, 64);
    tuples_make(&y, 128, 3, 64);
    rng_seed(&r, 3);
    for (int i = 0; i < N; i++) {
        struct err reason = {0};
        struct state *s = draw_state(&sp, scratch, &r, NULL, &reason);
        const struct step *follow = s ? step_of(s->steps, s->nsteps, STEP_FSP, 0) : NULL;
        got[!s ? 3 : follow ? follow->value2 : 0]++;
        if (!s && !strstr(reason.text, "nested parallel"))
            fail("a draw is invalid for an unexpected reason: %s", reason.text);
        arena_reset(scratch);
    }
    double lost1 = hollow(&x, 1) * hollow(&y, 1), lost2 = hollow(&x, 2) * hollow(&y, 2);
    is_near(lost1, 18. / 40 * 35 / 119, 1e-12,
            "the share of invalid draws of the first sketch is the one worked by hand");
    is_near(lost2, 6. / 40 * 7 / 119, 1e-12,
            "the share of invalid draws of the second sketch is the one worked by hand");
    const double shares[] = {1, 1 - lost1, 1 - lost2, lost1 + lost2};
    likely(got, shares, 4, "sketches are drawn evenly; outer loops of extent 1 make a program invalid");
    unlikely(got, (const double[]){1, 1, 1, 0}, 4, "draws with a parallel mark that only goes inside");
    unlikely(got, (const double[]){1, 1, 1, lost1 + lost2}, 4, "invalid draws that are drawn again");
}

/* ---- compute locations ---- */

enum { NONE, ROOT, INLINE, AT = 3 }; /* AT + iterator, of the consumer; + 64 of the stage it is attached to */

/* What location_draw did to the stage: the step it appended, if any. */
static int location_of(const struct state *s, int from, int stage, int consumer)
{
    for (int i = from; i < s->nsteps; i++) {
        const struct step *st = &s->steps[i];
        if (st->stage == stage && st->kind != STEP_CR && st->kind != STEP_CA && st->kind != STEP_CI)
            fail("a choice of location gives an unexpected step %s", step_code(st->kind));
        if (st->stage == stage)
            return st->kind == STEP_CR   ? ROOT
                   : st->kind == STEP_CI ? INLINE
                                         : AT + st->iter + (st->target == consumer ? 0 : 64);
    }
    return NONE;
}

enum { CODES = 160 };
static int64_t seen[CODES]; /* by the last call of locations */

/* Spreads weight evenly over staying, the root and the places first..last of the consumer and of the stage it is
 * attached to (none when last < first). */
static void spread(double shares[CODES], double weight, int first, int last, int outer_first, int outer_last)
{
    int n = 2 + (last >= first ? last - first + 1 : 0) + (outer_last >= outer_first ? outer_last - outer_first + 1 : 0);
    shares[NONE] += weight / n;
    shares[ROOT] += weight / n;
    for (int i = first; i <= last; i++)
        shares[AT + i] += weight / n;
    for (int i = outer_first; i <= outer_last; i++)
        shares[AT + 64 + i] += weight / n;
}

/* Draws the location of a stage N times. */
static void locations(const struct state *from, int stage, int consumer, const double shares[CODES], const char *name)
{
    struct rng r;
    struct err err;
    memset(seen, 0, sizeof seen);
    rng_seed(&r, 4);
    for (int i = 0; i < 20000; i++) {
        struct state *s = state_copy(scratch, from);
        fixture_must(location_draw(s, &r, &err), &err);
        seen[location_of(s, from->nsteps, stage, consumer)]++;
        arena_reset(scratch);
    }
    likely(seen, shares, CODES, "%s", name);
}

static const struct state *sketch_fused_at(const struct space *sp, int level)
{
    for (int i = 0; i < sp->nsketches; i++) {
        const struct step *f = step_of(sp->sketches[i].steps, sp->sketches[i].nsteps, STEP_FSP, 0);
        if ((f ? f->value2 : 0) == level)
            return sp->sketches[i].state;
    }
    bug("no sketch fused at level %d", level);
}

/* data_pad of a convolution with n = 1 (which counts like the others: lengths are not known when a place is drawn).
 * Stages: 0 data, 1 data_pad, 2 filter, 3 convolution, 4 bias, 5 add (inlined), 6 relu. Five spatial axes and three
 * reduce axes, tiled SSRSRS: iterators 0-4, 5-9 spatial, 10-12 reduce, and then the inner tile, which is closed. */
static void conv_locations(void)
{
    struct space sp;
    share_test_space(&sp, arena, "conv2d ci=8 hi=4 wi=4 co=8 kh=3 kw=3 ph=1 pw=1 cib=4 cob=4 bias=1 relu=1", 4);
    double plain[CODES] = {0}, one[CODES] = {0}, two[CODES] = {0}, relu[CODES] = {0}, fixed[CODES] = {0};
    spread(plain, 1, 0, 12, 0, -1);
    spread(relu, 1, 0, -1, 0, -1);
    locations(sketch_fused_at(&sp, 0), 6, -1, relu, "the output has no consumer: it stays or goes to the root");
    spread(one, 1, 5, 12, 0, 3); /* the .0 parts of an attached stage are 1 */
    locations(sketch_fused_at(&sp, 1), 1, 3, one, "data_pad, convolution at iterator 4 of relu: 8 and 4 places");
    spread(two, 1, 5, 12, 0, 8);
    locations(sketch_fused_at(&sp, 2), 1, 3, two, "data_pad, convolution at iterator 9 of relu: 8 and 9 places");
    spread(fixed, 1, 1, 12, 0, -1);
    locations(sketch_fused_at(&sp, 0), 1, 3, plain, "data_pad, plain sketch: 13 places");
    unlikely(seen, fixed, CODES, "draws of 12 places for data_pad, without the loops of n = 1");
}

/* Stages of an average pooling: 0 data, 1 pad_temp, 2 pool_sum, 3 pool_avg; axes 0 n (1), 1 c, 2 h, 3 w, 4 block; then
 * rv0, rv1, which an untiled consumer does not offer. Stages are visited from the last to the first, and one that has
 * been moved (to the root, too) has unknown extents until bounds are inferred, so that its loop of n counts. */
static void pool_locations(void)
{
    struct space sp;
    struct err err;
    double sum[CODES] = {0}, pad[CODES] = {0}, attached[CODES] = {0};
    share_test_space(&sp, arena, "pool2d c=4 hi=8 wi=6 kh=3 kw=3 ph=1 pw=1 cb=2 pool=avg", 64);
    struct state *s = sp.sketches[sp.nsketches - 1].state;
    is_int(s->nsteps, 0, "the last sketch of a pooling has no steps");
    for (int least = 0; least <= 1; least++) { /* pool_avg moved, or not: first place of pool_sum 0 or 1 */
        double n = 2 + 4 + (least == 0);
        spread(sum, 0.5, least, 4, 0, -1);
        spread(pad, 0.5 / n, 1, 4, 0, -1); /* pool_sum stays */
        spread(pad, 0.5 / n, 0, 4, 0, -1); /* is moved to the root */
        for (int i = least; i <= 4; i++)   /* or to iterator i, before which pad_temp may go */
            spread(pad, 0.5 / n, 0, 4, least, i - 1);
        spread(attached, 0.5, least, 3, 0, -1);
    }
    locations(s, 2, 3, sum, "pool_sum");
    locations(s, 1, 2, pad, "pad_temp");
    s = state_copy(arena, s);
    fixture_must(state_compute_at(s, 2, 3, 3, &err), &err);
    locations(s, 2, 3, attached, "pool_sum attached at iterator 3: places up to there; a reduction is never inlined");
}

/* A stage that is attached and does not reduce is inlined where others stay. */
static void inline_locations(void)
{
    struct space sp;
    struct err err;
    double shares[CODES] = {0};
    share_test_space(&sp, arena, "dense n=4 ci=4 co=6 bias=1 relu=1", 4);
    struct state *s = state_new(arena, sp.task); /* 0 data, 1 weight, 2 product, 3 bias, 4 add, 5 relu */
    fixture_must(state_compute_at(s, 4, 5, 0, &err), &err);
    shares[ROOT] = shares[INLINE] = shares[AT] = 1;
    locations(s, 4, 5, shares, "an attached element-wise stage: inlined, root or where it is");
}

/* ---- marks ---- */

/* The two reductions of a softmax: 16 pairs of limits. */
static void unrolls(void)
{
    static const int64_t values[] = {0, 16, 64, 512};
    enum { N = 16000 };
    int64_t got[5][5] = {{0}}, pairs[16], flat[5] = {0};
    struct space sp;
    struct rng r;
    share_test_space(&sp, arena, "softmax n=3 c=12", 64);
    rng_seed(&r, 5);
    for (int i = 0; i < N; i++) {
        struct state *s = draw_state(&sp, scratch, &r, NULL, NULL);
        int at[2] = {4, 4}, n = 0;
        for (int k = 0; s && k < s->nsteps; k++) {
            if (s->steps[k].kind != STEP_PR || n == 2)
                continue;
            for (int v = 0; v < 4; v++)
                at[n] = s->steps[k].value == values[v] ? v : at[n];
            n++;
        }
        got[at[0]][at[1]]++;
        arena_reset(scratch);
    }
    int64_t inside = 0;
    for (int i = 0; i < 16; i++)
        inside += pairs[i] = got[i / 4][i % 4];
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 4; k++)
            flat[i] += got[i][k];
    is_int(inside, N, "a drawn unroll limit is in the list for each reduction");
    likely_even(pairs, 16, "unroll: 0, 16, 64, 512, each reduction for itself");
    unlikely(flat, (const double[]){1, 1, 1, 1, 1}, 5, "unroll limits drawn from the list of GPUs, which has 1024 too");
    struct state *s = state_new(arena, sp.task);
    int64_t gpu[1025] = {0}, five[5];
    sp.limits.is_gpu = true;
    for (int i = 0; i < 5000; i++) {
        struct state *t = state_copy(scratch, s);
        if (!annotate_unroll(&sp, t, &r, NULL, NULL))
            bug("unroll");
        gpu[t->steps[t->nsteps - 1].value]++;
        arena_reset(scratch);
    }
    for (int i = 0; i < 4; i++)
        five[i] = gpu[values[i]];
    five[4] = gpu[1024];
    likely_even(five, 5, "unroll: on GPUs one of five");
}

/* How often annotate_vectorize makes a vector of 1 .. 4 loops of the only stage. */
static void vector_lengths(const char *spec, const struct state *from, int64_t got[5])
{
    struct space sp;
    struct rng r;
    struct err err;
    share_test_space(&sp, arena, spec, 4);
    rng_seed(&r, 6);
    memset(got, 0, sizeof *got * 5);
    for (int i = 0; i < 6000; i++) {
        struct state *s = from ? state_copy(scratch, from) : state_new(scratch, sp.task);
        int before = s->nsteps;
        fixture_must(bound_infer(s, &err) && annotate_vectorize(&sp, s, &r, &err), &err);
        const struct step *fuse = step_of(s->steps + before, s->nsteps - before, STEP_FU, 0);
        got[s->nsteps == before ? 0 : fuse ? fuse->n : 1]++;
        arena_reset(scratch);
    }
}

static void vectors(void)
{
    int64_t got[5];
    vector_lengths("map n=2 c=2 h=2 w=4 by=relu", NULL, got); /* 4 loops of together 32: 3 fit */
    is_int(got[0] + got[3] + got[4], 0, "of 3 loops that fit a vector, never all are vectorised");
    likely(got + 1, (const double[]){1, 1}, 2, "of 3 loops that fit a vector, 1 or 2 are vectorised with equal chance");
    unlikely(got + 1, (const double[]){1, 1, 1}, 3, "of 3 loops that fit a vector, 1 to 3 vectorised");
    vector_lengths("map n=2 c=2 h=2 w=2 by=relu", NULL, got);
    is_int(got[0] + got[4], 0, "of 4 loops that fit a vector, never all are vectorised");
    likely(got + 1, (const double[]){1, 1, 1}, 3,
           "of 4 loops that fit a vector, 1, 2 or 3 are vectorised with equal chance");
    vector_lengths("map n=3 c=12 by=relu", NULL, got);
    is_int(got[1], 6000, "a vector loop of 12 fits, one of 36 does not");
    vector_lengths("map n=3 c=17 by=relu", NULL, got);
    is_int(got[0], 6000, "a vector loop of 17 does not fit");
    vector_lengths("map n=2 c=4 by=relu", NULL, got);
    is_int(got[1], 6000, "of 2 loops that fit a vector, always 1 is vectorised");
}

/* parallel: 4 cores, so fusing ends when more than 64 iterations are had. */
static void parallels(void)
{
    static const struct {
        const char *spec;
        int fused;
        const char *why;
    } CASES[] = {
        {"map n=8 c=8 h=8 w=8 by=relu", 3, "64 is not more than 64"},
        {"map n=65 c=8 h=8 w=8 by=relu", 1, "one loop is enough"},
        {"map n=2 c=2 h=2 w=2 by=relu", 4, "all there are"},
        {"reduce n=8 m=4 by=sum", 1, "not what is reduced"},
    };
    struct err err;
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        struct space sp;
        share_test_space(&sp, arena, CASES[i].spec, 4);
        struct state *s = state_new(scratch, sp.task);
        fixture_must(bound_infer(s, &err) && annotate_parallel(&sp, s, &err), &err);
        const struct step *fuse = step_of(s->steps, s->nsteps, STEP_FU, 0);
        is_int(fuse ? fuse->n : 1, CASES[i].fused, "the outer loops of %s are made parallel: %d loops, %s",
               CASES[i].spec, CASES[i].fused, CASES[i].why);
        const struct step *mark = step_of(s->steps, s->nsteps, STEP_AN, 0);
        ok(mark && mark->iter == 0 && mark->value == ANN_PARALLEL, "the fused outer loops carry the parallel mark");
        arena_reset(scratch);
    }
}

/* adaptive_pool's reduce extents are expressions to TVM's rules: no rfactor, unlike a plain sum of as many. */
static void global_pools(void)
{
    struct space sp;
    share_test_space(&sp, arena, "global_pool2d c=4 hi=64 wi=64", 8);
    is_int(sp.nsketches, 1, "a global pooling over 4096 elements gets no rfactor");
    share_test_space(&sp, arena, "pool2d c=4 hi=64 wi=64 kh=64 kw=64 pool=max", 8);
    is_int(sp.nsketches, 3, "a pooling window of 4096 elements gets an rfactor");
}

int main(void)
{
    tile_sizes();
    more_tile_sizes();
    sketches();
    conv_locations();
    pool_locations();
    inline_locations();
    unrolls();
    vectors();
    parallels();
    global_pools();
    return done_testing();
}
