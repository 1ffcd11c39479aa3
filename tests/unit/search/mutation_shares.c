/* SPDX-License-Identifier: Apache-2.0 */
/* mutation_shares: ansor.md, "Mutations", as distributions, against probabilities worked out here from the text: rule
 * weights, which factor moves where, unroll values, places, fuse lengths, and how often each fails. Their quirks are
 * part of it. What a mutation may change at all is in mutate.c. */
#include "search/evolution/mutate.h"
#include "search/sketch/draw.h"
#include "search/sketch/stage_query.h"
#include "tests/lib/fixture.h"
#include "tests/lib/share_test.h"
#include "tests/lib/tap.h"

#include <math.h>
#include <string.h>

/* The only step in which the two differ; -1: none, -2: more than one. */
static int changed_step(struct genome a, struct genome b)
{
    int at = -1;
    for (int i = 0; i < a.n; i++) {
        const struct step *x = &a.steps[i], *y = &b.steps[i];
        bool list = x->n != y->n || (x->n && memcmp(x->list, y->list, sizeof *x->list * (size_t)x->n) != 0);
        if (list || x->value != y->value || x->iter != y->iter || x->target != y->target)
            at = at == -1 ? i : -2;
    }
    return a.n == b.n ? at : -2;
}

static void weights(void)
{
    static const double cpu[] = {0.90, 0.04, 0.05, 0.01}, gpu[] = {0.90, 0.10, 0, 0}, even[] = {1, 1, 1, 1};
    enum { N = 40000 };
    struct space sp;
    struct rng r;
    int64_t got[2][4] = {{0}};
    share_test_space(&sp, arena, "conv2d n=1 ci=8 hi=14 wi=14 co=16 kh=3 kw=3 ph=1 pw=1 cib=4 cob=8 relu=1", 4);
    rng_seed(&r, 11);
    for (int gpus = 0; gpus < 2; gpus++) {
        sp.limits.is_gpu = gpus;
        for (int i = 0; i < N / (1 + 3 * gpus); i++)
            got[gpus][mutation_draw(&sp, &r) - mutations]++;
    }
    likely(got[0], cpu, 4, "mutations are drawn by the weights .90 .04 .05 .01");
    likely(got[1], gpu, 4, "mutations of GPUs are drawn by the weights .90 and .10");
    unlikely(got[0], even, 4, "all mutations as likely as each other");
    unlikely(got[0], (const double[]){0.90, 0.03, 0.05, 0.02}, 4,
             "mutations drawn by MetaSchedule's weights of unroll and parallel");
}

/* ---- which factor moves where ---- */

struct move_shares {
    const struct tuples *all; /* of the extent, without cap */
    int64_t lengths[4], cap;  /* outermost first */
    double *shares;           /* by tuple */
};

/* What one order of the four parts leads to: the first source longer than 1 from which some factor may go to the next
 * part in the (cyclic) order gives a divisor over 1, all as likely. */
static void move_in_order(const struct move_shares *m, const int order[4], double weight)
{
    for (int i = 0; i < 4; i++) {
        int from = order[i], to = order[(i + 1) % 4], n = 0;
        for (int pass = 0; pass < 2; pass++)
            for (int64_t d = 2; d <= m->lengths[from]; d++) {
                if (m->lengths[from] % d || (to == 3 && d * m->lengths[to] > m->cap))
                    continue;
                n += !pass;
                int64_t now[4];
                memcpy(now, m->lengths, sizeof now);
                now[from] /= d;
                now[to] *= d;
                if (pass)
                    m->shares[tuples_find(m->all, now + 1)] += weight / n;
            }
        if (n)
            return;
    }
}

static void move_in_any_order(const struct move_shares *m)
{
    for (int i = 0; i < 256; i++) {
        int order[4] = {i & 3, i >> 2 & 3, i >> 4 & 3, i >> 6 & 3}, seen = 0;
        for (int k = 0; k < 4; k++)
            seen |= 1 << order[k];
        if (seen == 15)
            move_in_order(m, order, 1. / 24);
    }
}

/* Another rule: every pair of parts and every divisor as likely. */
static void move_any_pair(const struct move_shares *m)
{
    for (int from = 0; from < 4; from++)
        for (int to = 0; to < 4; to++)
            for (int64_t d = 2; from != to && d <= m->lengths[from]; d++) {
                int64_t now[4];
                memcpy(now, m->lengths, sizeof now);
                now[from] /= d;
                now[to] *= d;
                if (m->lengths[from] % d == 0 && (to != 3 || now[3] <= m->cap))
                    m->shares[tuples_find(m->all, now + 1)] += 1;
            }
}

static void tile_moves(void)
{
    static struct tuples all;
    static int64_t got[4096];
    static double shares[4096], pairs[4096], open[4096];
    static const int64_t parts[][4] = {{8, 4, 2, 8},   {4, 1, 4, 32}, {4, 2, 1, 64},
                                       {512, 1, 1, 1}, {1, 1, 64, 8}, {1, 512, 1, 1}};
    struct space sp;
    struct rng r;
    rng_seed(&r, 17);
    share_test_space(&sp, arena, "dense n=4 ci=4 co=4", 4);
    tuples_make(&all, 512, 3, 512);
    for (size_t c = 0; c < sizeof parts / sizeof *parts; c++) {
        struct move_shares m = {.all = &all, .cap = 64, .shares = memset(shares, 0, sizeof shares)};
        memcpy(m.lengths, parts[c], sizeof m.lengths);
        memset(got, 0, sizeof got);
        move_in_any_order(&m);
        struct step split = {.kind = STEP_SP, .stage = 2, .extent = 512, .list = parts[c] + 1, .n = 3, .flag = true};
        struct genome parent = {&split, 1}, child;
        for (int i = 0; i < 10000; i++) {
            if (share_test_mutation("tile size")->apply(&sp, scratch, scratch, &r, parent, &child))
                got[tuples_find(&all, child.steps[0].list)]++;
            arena_reset(scratch);
        }
        likely(got, shares, all.count,
               "tile size mutations of 512 = %lld x %lld x %lld x %lld move factors by their chances",
               (long long)parts[c][0], (long long)parts[c][1], (long long)parts[c][2], (long long)parts[c][3]);
        m.shares = memset(pairs, 0, sizeof pairs);
        move_any_pair(&m);
        if (c < 3)
            unlikely(got, pairs, all.count, "tile size mutations with every pair of parts and divisor as likely");
        m.shares = memset(open, 0, sizeof open);
        m.cap = 512;
        move_in_any_order(&m);
        if (c != 0 && c != 4)
            unlikely(got, open, all.count, "tile size mutations without a cap on the innermost part");
    }
}

/* The split is drawn uniformly; one of extent 1 is drawn again, but not for ever: 4 tries a split. */
static void tile_choices(void)
{
    static const int64_t ones[] = {1, 1, 1}, some[] = {2, 3, 2};
    enum { N = 40000 };
    struct space sp;
    struct rng r;
    int64_t got[4] = {0}, kept[2] = {0};
    share_test_space(&sp, arena, "dense n=4 ci=4 co=4", 4);
    rng_seed(&r, 18);
    struct step steps[4];
    for (int i = 0; i < 4; i++)
        steps[i] = (struct step){.kind = STEP_SP, .stage = 2, .extent = 24, .list = some, .n = 3, .flag = true};
    struct genome parent = {steps, 4}, child;
    for (int i = 0; i < N; i++) {
        int at = share_test_mutation("tile size")->apply(&sp, scratch, scratch, &r, parent, &child)
                     ? changed_step(parent, child)
                     : -1;
        if (at < 0)
            bug("tile size: nothing moved");
        got[at]++;
        arena_reset(scratch);
    }
    likely_even(got, 4, "tile size: each split as likely");
    for (int i = 0; i < 3; i++)
        steps[i] = (struct step){.kind = STEP_SP, .stage = 2, .extent = 1, .list = ones, .n = 3, .flag = true};
    for (int i = 0; i < N; i++) {
        kept[share_test_mutation("tile size")->apply(&sp, scratch, scratch, &r, parent, &child)]++;
        arena_reset(scratch);
    }
    double never = pow(0.75, 16);
    likely(kept, (const double[]){never, 1 - never}, 2,
           "tile size mutations give up after 16 tries where 3 of 4 splits have extent 1");
    unlikely(kept, (const double[]){0, 1}, 2, "tile size mutations that try without end");
}

/* Two pragmas, four values: any of the two gets any value, its own among them. */
static void unroll(void)
{
    static const int64_t values[] = {0, 16, 64, 512};
    enum { N = 8000 };
    struct space sp;
    struct rng r;
    int64_t got[1 + 2 * 4] = {0};
    int other = 0, pragma[2] = {0}, n = 0;
    double shares[1 + 2 * 4] = {0.25};
    share_test_space(&sp, arena, "softmax n=3 c=12", 64);
    rng_seed(&r, 14);
    struct genome parent = share_test_genome(&sp, arena, scratch, &r), child;
    for (int i = 0; i < parent.n; i++)
        if (parent.steps[i].kind == STEP_PR)
            pragma[n++ % 2] = i;
    is_int(n, 2, "a drawn softmax has two unroll pragmas");
    for (int i = 0; i < 2; i++)
        for (int v = 0; v < 4; v++)
            shares[1 + 4 * i + v] = values[v] == parent.steps[pragma[i]].value ? 0 : 0.125;
    for (int i = 0; i < N; i++) {
        if (!share_test_mutation("auto-unroll")->apply(&sp, scratch, scratch, &r, parent, &child))
            bug("no pragma");
        int at = changed_step(parent, child);
        other += at != -1 && at != pragma[0] && at != pragma[1];
        for (int v = 0; at >= 0 && v < 4; v++)
            got[1 + 4 * (at == pragma[1]) + v] += child.steps[at].value == values[v];
        got[0] += at == -1;
        arena_reset(scratch);
    }
    is_int(other, 0, "an unroll mutation changes at most one pragma");
    likely(got, shares, 9, "unroll mutations draw one of two pragmas and one of four values");
    shares[0] = 0;
    unlikely(got, shares, 9, "unroll mutations that always change the value");
}

/* ---- compute location and parallel, exactly ---- */

/* A drawn program of the plain sketch (stages 1 data_pad, 3 convolution) that suits. */
static struct genome draw_such(struct space *sp, struct rng *r, bool (*suits)(const struct space *, struct genome))
{
    share_test_plain(sp);
    for (int i = 0; i < 50000; i++) {
        struct genome g = share_test_genome(sp, arena, scratch, r);
        if (suits(sp, g))
            return g;
    }
    bug("no such program");
}

static int find_step(struct genome g, enum step_kind kind, int stage)
{
    for (int i = 0; i < g.n; i++)
        if (g.steps[i].kind == kind && g.steps[i].stage == stage)
            return i;
    return -1;
}

/* Places of data_pad by ansor.md, "Random annotation", in the finished state: known extents of 1 are skipped, and the
 * first iterator that has a stage attached is the last place, as is the last reduce iterator of the outer part. */
static int places_by_hand(const struct state *s, int out[32])
{
    int n = 0;
    bool reduced = false;
    for (int i = 0; i < s->stages[3].nleaf; i++) {
        const struct ivar *v = stage_iter(&s->stages[3], i);
        reduced = reduced || v->kind == ITER_REDUCE;
        if (reduced && v->kind == ITER_SPATIAL)
            break;
        if (v->extent != 1)
            out[n++] = i;
        if (v->extent != 1 && state_has_attached(s, 3, i))
            break;
    }
    return n;
}

/* data_pad keeps its loops (else it counts as tiled), some of the places are before the last of the fused loops, at
 * least two are not. */
static bool suits_location(const struct space *sp, struct genome g)
{
    int places[32], at = find_step(g, STEP_CA, 1), fuse = find_step(g, STEP_FU, 3);
    if (at < 0 || fuse < 0 || g.steps[at].iter < g.steps[fuse].n || find_step(g, STEP_FU, 1) >= 0)
        return false;
    struct state *s = space_state(sp, scratch, g.steps, g.n, NULL, NULL);
    int n = s ? places_by_hand(s, places) : 0, after = 0;
    for (int i = 0; i < n; i++)
        after += places[i] >= g.steps[fuse].n - 1;
    arena_reset(scratch);
    return after >= 2 && after < n;
}

/* The new place is a number of the finished state, written where the loops had not been fused yet: places before the
 * last loop of the fusion then make it fail. */
static void locations(void)
{
    enum { N = 10000, FAILED = 31 };
    struct space sp;
    struct rng r;
    int64_t got[32] = {0};
    double shares[32] = {0}, mapped[32] = {0};
    int places[32];
    share_test_space(&sp, arena, "conv2d ci=8 hi=14 wi=14 co=8 kh=3 kw=3 ph=1 pw=1 cib=4 cob=4", 1);
    rng_seed(&r, 19);
    struct genome parent = draw_such(&sp, &r, suits_location), child;
    int at = find_step(parent, STEP_CA, 1), fused = (int)parent.steps[find_step(parent, STEP_FU, 3)].n;
    int n = places_by_hand(space_state(&sp, scratch, parent.steps, parent.n, NULL, NULL), places);
    for (int i = 0; i < n; i++) {
        shares[places[i] < fused - 1 ? FAILED : places[i]] += 1. / n;
        mapped[places[i] + fused - 1] += 1. / n;
    }
    for (int i = 0; i < N; i++) {
        bool good = share_test_mutation("compute location")->apply(&sp, scratch, scratch, &r, parent, &child);
        got[good ? child.steps[at].iter : FAILED]++;
        arena_reset(scratch);
    }
    likely(got, shares, 32, "location mutations draw among %d places, with %d loops fused", n, fused);
    unlikely(got, mapped, 32, "location mutations with iterators renumbered for the middle of the history");
}

static bool suits_vector(const struct space *sp, struct genome g)
{
    (void)sp;
    return find_step(g, STEP_CA, 1) >= 0 && find_step(g, STEP_FU, 1) >= 0;
}

/* TVM calls a stage tiled that has another number of loops than its op has axes: fused vector loops do that, too. */
static void vectors_stay(void)
{
    struct space sp;
    struct rng r;
    int moved = 0;
    share_test_space(&sp, arena, "conv2d ci=8 hi=14 wi=14 co=8 kh=3 kw=3 ph=1 pw=1 cib=4 cob=4", 1);
    rng_seed(&r, 21);
    for (int i = 0; i < 100; i++) {
        struct genome parent = draw_such(&sp, &r, suits_vector), child;
        moved += share_test_mutation("compute location")->apply(&sp, scratch, scratch, &r, parent, &child);
        arena_reset(scratch);
    }
    is_int(moved, 0, "a location mutation leaves a stage with fused vector loops alone");
}

static bool suits_parallel(const struct space *sp, struct genome g)
{
    (void)sp;
    int fuse = find_step(g, STEP_FU, 3);
    return find_step(g, STEP_CA, 1) < 0 && fuse >= 0 && g.steps[fuse].n > 2;
}

/* The convolution's ten outer spatial loops come before the first reduce loop: lengths 1 to 10, the old one fails. */
static void parallels(void)
{
    enum { N = 10000 };
    struct space sp;
    struct rng r;
    int64_t got[11] = {0};
    double shares[11];
    int unmoved = 0;
    share_test_space(&sp, arena, "conv2d ci=8 hi=14 wi=14 co=8 kh=3 kw=3 ph=1 pw=1 cib=4 cob=4", 1);
    rng_seed(&r, 20);
    struct genome parent = draw_such(&sp, &r, suits_parallel), child;
    int fuse = find_step(parent, STEP_FU, 3), old = parent.steps[fuse].n;
    for (int i = 1; i <= 10; i++)
        shares[i] = i == old ? 0 : 0.1;
    int pad = find_step(parent, STEP_FU, 1); /* data_pad's parallel loops may be picked as well */
    double chance = pad >= 0 && parent.steps[pad + 1].kind == STEP_AN ? 0.5 : 1;
    int64_t mine = 0;
    for (int i = 0; i < N; i++) {
        struct genome before = parent;
        bool good = share_test_mutation("parallel")->apply(&sp, scratch, scratch, &r, before, &child);
        if (good && child.steps[fuse].n != old) {
            got[child.steps[fuse].n]++;
            mine++;
            for (int k = fuse + 2; k < child.n; k++)
                unmoved += child.steps[k].stage == 3 && child.steps[k].iter != 0 &&
                           child.steps[k].iter != parent.steps[k].iter + old - child.steps[fuse].n;
        }
        arena_reset(scratch);
    }
    likely(got + 1, shares + 1, 10, "parallel mutations fuse 1 to 10 loops instead of %d, but never %d", old, old);
    is_int(unmoved, 0, "a parallel mutation moves later marks of the stage with the loops");
    int64_t split[2] = {mine, N - mine};
    likely(split, (const double[]){0.9 * chance, 1 - 0.9 * chance}, 2,
           "parallel mutations fail when they draw the old length");
    unlikely(split, (const double[]){chance, 1 - chance}, 2, "parallel mutations that always change the length");
}

int main(void)
{
    weights();
    tile_moves();
    tile_choices();
    unroll();
    locations();
    vectors_stay();
    parallels();
    return done_testing();
}
