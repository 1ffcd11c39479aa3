/* SPDX-License-Identifier: Apache-2.0 */
/* trace_decisions: how the decisions of MetaSchedule's traces are drawn and mutated, against exact probabilities
 * (share_test.h). What traces replay to is in trace_space.c. */
#include "search/trace/trace_mutator.h"
#include "tests/lib/fixture.h"
#include "tests/lib/share_test.h"
#include "tests/lib/tap.h"

#include <string.h>

static int index_of(const int64_t *values, int n, int64_t value)
{
    int i = 0;
    while (i < n && values[i] != value)
        i++;
    return i;
}

/* ---- fresh traces ---- */

static void tiles(void)
{
    static struct tuples spatial[2], reduce, uncapped;
    static int64_t got[2][4096], both[4096], all[4096];
    static double shares[4096];
    enum { N = 40000 };
    static const int64_t unrolls[] = {0, 16, 64, 512};
    int64_t unroll[5] = {0};
    int wrong = 0;
    struct trace_space tr;
    struct rng r;
    share_test_traces(&tr, arena, "dense n=56 ci=12 co=512", 8);
    const struct trace_layout *o = &tr.layouts[share_test_layout(&tr)];
    tuples_make(&spatial[0], 56, 3, 64);
    tuples_make(&spatial[1], 512, 3, 64);
    tuples_make(&reduce, 12, 1, 64);
    tuples_make(&uncapped, 512, 3, 512);
    rng_seed(&r, 1);
    for (int i = 0; i < N; i++, arena_reset(scratch)) {
        struct trace t = trace_fresh(&tr, scratch, share_test_layout(&tr));
        if (!trace_structure(&tr, scratch, &t, &r, NULL, NULL, NULL)) {
            wrong++;
            continue;
        }
        int x = tuples_find(&spatial[0], t.at + o->tile[0]), y = tuples_find(&spatial[1], t.at + o->tile[1]);
        int z = tuples_find(&reduce, t.at + o->tile[2]);
        if (x < 0 || y < 0 || z < 0) {
            wrong++;
            continue;
        }
        got[0][x]++;
        got[1][y]++;
        both[x * reduce.count + z]++;
        all[tuples_find(&uncapped, spatial[1].at[y])]++;
        unroll[index_of(unrolls, 4, t.at[o->unroll])]++;
        wrong += t.at[o->parallel] != 128 || t.at[o->vector] != 64;
    }
    is_int(wrong, 0, "every drawn tile is perfect, with parallel extent 16 times 8 cores and vector extent 64");
    likely_even(got[0], spatial[0].count, "tiles of 56 in 4 parts are uniform over %d", spatial[0].count);
    likely_even(got[1], spatial[1].count, "tiles of 512, innermost at most 64, over %d", spatial[1].count);
    likely_even(both, spatial[0].count * reduce.count, "tiles of different loops are independent");
    likely_even(unroll, 4, "unroll limits 0 16 64 512 are uniform");
    is_int(unroll[4], 0, "no other unroll limits are drawn");
    for (int i = 0; i < uncapped.count; i++)
        shares[i] = 1;
    unlikely(all, shares, uncapped.count, "an innermost part over 64");
}

/* C2D of MetaSchedule's tests with tiles 1 1 1 1, 7 1 2 8, 4 28 1 1, 2 8 1 4 | 7 1, 7 1, 1 3: the padded input may be
 * inlined, stand at root, or at one of the loops longer than 1 outside spatial loops that follow reductions: 1 2 3
 * (level 1), 6 7 (level 2), then the reductions 8 9 (7 each; the third is 1). */
static const int64_t c2d_tiles[] = {1, 1, 1, 1, 2, 8, 28, 1, 1, 8, 1, 4, 1, 1, 3};
static const int64_t c2d_places[] = {-2, -1, 1, 2, 3, 6, 7, 8, 9};
enum { NTILES = sizeof c2d_tiles / sizeof *c2d_tiles, NPLACES = sizeof c2d_places / sizeof *c2d_places };

static struct trace c2d_trace(struct trace_space *tr)
{
    share_test_traces(tr, arena, "conv2d ci=3 hi=224 wi=224 co=64 kh=7 kw=7 sh=2 sw=2 ph=3 pw=3 layout=nhwc", 4);
    struct trace t = trace_fresh(tr, arena, share_test_layout(tr));
    memcpy(t.at, c2d_tiles, sizeof c2d_tiles);
    t.at[tr->layouts[t.layout].unroll] = 64;
    return t;
}

static void places(void)
{
    enum { N = 4000 };
    struct trace_space tr;
    struct trace t = c2d_trace(&tr);
    const struct trace_layout *o = &tr.layouts[t.layout];
    struct rng r;
    int64_t got[NPLACES + 1] = {0};
    rng_seed(&r, 2);
    is_int(o->place - 1, NTILES, "a trace has as many tile lengths as the example");
    for (int i = 0; i < N; i++, arena_reset(scratch)) {
        struct trace c = trace_copy(&tr, scratch, &t);
        if (!trace_structure(&tr, scratch, &c, &r, NULL, NULL, NULL))
            bug("the example does not replay");
        got[index_of(c2d_places, NPLACES, c.at[o->place])]++;
    }
    likely_even(got, NPLACES, "locations of the padded input are uniform over %d", (int)NPLACES);
    is_int(got[NPLACES], 0, "no other locations are drawn");
    static const int64_t moved[][2] = {{0, -1}, {4, 3}, {5, 3}, {11, 9}, {40, 9}, {-2, -2}};
    for (size_t i = 0; i < sizeof moved / sizeof *moved; i++) {
        struct trace c = trace_copy(&tr, scratch, &t);
        c.at[o->place] = moved[i][0];
        (void)trace_structure(&tr, scratch, &c, NULL, NULL, NULL, NULL);
        is_int(c.at[o->place], moved[i][1], "location %d, which does not exist, becomes the one before",
               (int)moved[i][0]);
    }
    arena_reset(scratch);
}

/* ---- trace_mutators ---- */

static const struct trace_mutator *find(const char *name)
{
    for (int i = 0; i < TRACE_MUTATORS; i++)
        if (str_eq(trace_mutators[i].name, name))
            return &trace_mutators[i];
    bug("no mutator '%s'", name);
}

static void weights(void)
{
    static const double cpu[] = {0.90, 0.05, 0.03, 0.02, 0}, gpu[] = {0.90, 0, 0.08, 0, 0.02};
    enum { N = 20000 };
    struct trace_space tr;
    struct rng r;
    int64_t got[2][5] = {{0}};
    (void)c2d_trace(&tr);
    rng_seed(&r, 3);
    for (int gpus = 0; gpus < 2; gpus++) {
        tr.space.limits.is_gpu = gpus;
        for (int i = 0; i < N / (1 + 3 * gpus); i++)
            got[gpus][trace_mutator_draw(&tr, &r) - trace_mutators]++;
    }
    likely(got[0], cpu, 5, "mutators are drawn by the weights .90 tile, .05 location, .03 unroll, .02 parallel");
    likely(got[1], gpu, 5, "mutators of GPUs are drawn by the weights .90 tile, .08 unroll, .02 thread binding");
    unlikely(got[0], (const double[]){0.90, 0.05, 0.04, 0.01, 0}, 5, "mutators drawn by Ansor's weights");
}

/* Shares of the tiles that one mutation of the parts leads to: all pairs of a source above 1 and another part from
 * which some divisor may move are as likely, and so are the divisors. */
static void move_shares(const struct tuples *all, const int64_t parts[4], int64_t cap, double *shares)
{
    for (int from = 0; from < 4; from++)
        for (int to = 0; to < 4; to++) {
            int n = 0;
            for (int pass = 0; from != to && pass < 2; pass++)
                for (int64_t d = 2; d <= parts[from]; d++) {
                    if (parts[from] % d || (to == 3 && d * parts[to] > cap))
                        continue;
                    n += !pass;
                    int64_t now[4];
                    memcpy(now, parts, sizeof now);
                    now[from] /= d;
                    now[to] *= d;
                    if (pass)
                        shares[tuples_find(all, now + 1)] += 1.0 / n;
                }
        }
}

static void tile_mutation(void)
{
    static struct tuples all[2];
    static int64_t got[2][4096];
    static double shares[2][4096];
    enum { N = 20000 };
    struct trace_space tr;
    struct rng r;
    int64_t loops[4] = {0};
    int wrong = 0;
    share_test_traces(&tr, arena, "dense n=48 ci=12 co=512", 8);
    struct trace t = trace_fresh(&tr, arena, share_test_layout(&tr)), child;
    const struct trace_layout *o = &tr.layouts[t.layout];
    static const int64_t lengths[] = {4, 2, 3, 1, 4, 32, 6};
    memcpy(t.at, lengths, sizeof lengths);
    t.at[o->unroll] = 0;
    tuples_make(&all[0], 48, 3, 64);
    tuples_make(&all[1], 512, 3, 64);
    move_shares(&all[0], (const int64_t[]){2, 4, 2, 3}, 64, shares[0]);
    move_shares(&all[1], (const int64_t[]){4, 1, 4, 32}, 64, shares[1]);
    rng_seed(&r, 4);
    for (int i = 0; i < N; i++, arena_reset(scratch)) {
        if (!find("tile size")->apply(&tr, scratch, scratch, &r, &t, &child)) {
            loops[3]++;
            continue;
        }
        int which = -1, n = 0;
        for (int k = 0; k < 3; k++)
            if (memcmp(child.at + o->tile[k], t.at + o->tile[k], sizeof *t.at * (k < 2 ? 3 : 1)) != 0) {
                which = k;
                n++;
            }
        wrong += n != 1;
        loops[which < 0 ? 3 : which]++;
        if (which >= 0 && which < 2)
            got[which][tuples_find(&all[which], child.at + o->tile[which])]++;
    }
    is_int(wrong, 0, "a tile mutation changes one tile");
    likely_even(loops, 3, "each as likely");
    likely(got[0], shares[0], all[0].count, "the tile 2 4 2 3 becomes its neighbours by their chances");
    likely(got[1], shares[1], all[1].count,
           "the tile 4 1 4 32, with the cap in the way, becomes its neighbours by their chances");
    static int64_t moved[4096];
    for (int i = 0; i < all[1].count; i++)
        shares[1][i] = shares[1][i] > 0;
    memcpy(moved, got[1], sizeof moved);
    unlikely(moved, shares[1], all[1].count, "all neighbours of a tile as likely");
}

static void other_mutations(void)
{
    enum { N = 6000 };
    static const int64_t unrolls[] = {0, 16, 512};
    int64_t unroll[4] = {0}, place[NPLACES + 1] = {0}, parallel[3] = {0};
    double shares[NPLACES] = {0};
    struct trace_space tr;
    struct trace t = c2d_trace(&tr), child;
    const struct trace_layout *o = &tr.layouts[t.layout];
    struct rng r;
    t.at[o->place] = 6;
    rng_seed(&r, 5);
    for (int i = 0; i < N; i++, arena_reset(scratch)) {
        bool good = find("unroll")->apply(&tr, scratch, scratch, &r, &t, &child);
        unroll[good ? index_of(unrolls, 3, child.at[o->unroll]) : 3]++;
        good = find("compute location")->apply(&tr, scratch, scratch, &r, &t, &child);
        place[good ? index_of(c2d_places, NPLACES, child.at[o->place]) : NPLACES]++;
    }
    likely_even(unroll, 3, "unroll 64 becomes any other limit");
    for (int i = 0; i < NPLACES; i++)
        shares[i] = c2d_places[i] != 6;
    likely(place, shares, NPLACES, "location 6 becomes any other location with equal chance");
    is_int(unroll[3] + place[NPLACES], 0, "mutations of unroll limit and location never fail");

    /* i = 4 2 1 3, j = 2 1 2 5: products of the outer loops 4 8 16 16, then a reduction. An extent is thought to fuse
     * the loops up to its product, so 4 fuses one and 8 two; 16, and 64, which stands there, fuse all. */
    static const int64_t lengths[] = {2, 1, 3, 1, 2, 5, 2}, extents[] = {4, 8};
    share_test_traces(&tr, arena, "matmul n=24 m=20 k=6", 4);
    t = trace_fresh(&tr, arena, share_test_layout(&tr));
    o = &tr.layouts[t.layout];
    memcpy(t.at, lengths, sizeof lengths);
    t.at[o->unroll] = 0;
    for (int i = 0; i < 1000; i++, arena_reset(scratch)) {
        bool good = find("parallel")->apply(&tr, scratch, scratch, &r, &t, &child);
        parallel[good ? index_of(extents, 2, child.at[o->parallel]) : 2]++;
    }
    likely_even(parallel, 2, "parallel extent 64 becomes 4 or 8");
    is_int(parallel[2], 0, "a parallel mutation gives no other extent and never fails");
    share_test_traces(&tr, arena, "dense n=1 ci=7 co=1", 4);
    t = trace_fresh(&tr, arena, share_test_layout(&tr));
    for (int i = 0; i < tr.layouts[t.layout].unroll; i++)
        t.at[i] = 1;
    t.at[tr.layouts[t.layout].unroll] = 0;
    ok(!find("parallel")->apply(&tr, scratch, scratch, &r, &t, &child),
       "a program without spatial loops has no other parallel extent");
    ok(!find("compute location")->apply(&tr, scratch, scratch, &r, &t, &child),
       "a program without a stage to move has no mutation of locations");
}

int main(void)
{
    tiles();
    places();
    weights();
    tile_mutation();
    other_mutations();
    return done_testing();
}
