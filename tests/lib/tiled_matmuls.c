/* SPDX-License-Identifier: Apache-2.0 */
/* tiled_matmuls: i, j and k of a matmul split once each by powers of two, reordered io jo ko ki ii ji, ji vectorised.
 */
#include "tests/lib/tiled_matmuls.h"

#include "harness/base/rng.h"
#include "harness/program/lower/bound.h"

#include <math.h>

static struct state *tiling_state(struct arena *a, const struct task *t, const int64_t tile[3])
{
    static const int order[] = {0, 2, 4, 5, 1, 3};
    struct state *s = state_new(a, t);
    struct err err;
    bool fine = true;
    for (int i = 0; i < 3; i++)
        fine = fine && state_split(s, 2, 2 * i, &tile[i], 1, true, &err);
    fine = fine && state_reorder(s, 2, order, 6, &err) && state_annotate(s, 2, 0, ANN_PARALLEL, &err) &&
           state_annotate(s, 2, 5, ANN_VECTORIZE, &err) && bound_infer(s, &err);
    if (!fine)
        bug("tiling: %s", err.text);
    return s;
}

/* Best at 8 x 16 x 32; a factor of about 30 between the ends. */
static double tiling_seconds(const int64_t tile[3])
{
    double i = log2((double)tile[0]) - 3, j = log2((double)tile[1]) - 4, k = log2((double)tile[2]) - 5;
    return 1e-3 * exp(0.05 * i * i + 0.08 * j * j + 0.02 * k * k);
}

struct tiled_matmuls tiled_matmuls_make(struct arena *a, int n, uint64_t seed)
{
    struct tiled_matmuls all = {.n = n,
                                .candidates = ARENA_ARRAY(a, struct candidate, n),
                                .states = ARENA_ARRAY(a, struct state *, n),
                                .samples = ARENA_ARRAY(a, struct sample, n)};
    struct task *t;
    struct err err;
    struct rng rng;
    rng_seed(&rng, seed);
    if (!task_parse(a, "matmul n=512 m=512 k=512", &t, &err))
        bug("tilings: %s", err.text);
    for (int i = 0; i < n; i++) {
        int64_t tile[3];
        for (int d = 0; d < 3; d++)
            tile[d] = (int64_t)1 << (1 + rng_below(&rng, 7));
        struct state *s = all.states[i] = tiling_state(a, t, tile);
        all.candidates[i] = (struct candidate){t, s->steps, s->nsteps, state_hash(s), NAN};
        all.samples[i] = (struct sample){.outcome = OUTCOME_OK, .nseconds = 1, .seconds = {tiling_seconds(tile)}};
    }
    return all;
}
