/* SPDX-License-Identifier: Apache-2.0 */
/* raster: searcher 'knob-grid': the points of a seed's lattice in order of their number, the first axis turning fastest
 * (src/GridSearch.py of lac-dcc/bennu). Within 100 trials and nine values an axis, two to three axes move. */
#include "search/lattice.h"

struct raster_options {
    struct lattice_options lattice;
};
static const struct setting settings[] = {LATTICE_SETTINGS(struct raster_options, lattice), {0}};

struct raster {
    struct lattice lattice;
};

static bool raster_open(void *self, struct searcher_env *env, struct err *err)
{
    struct raster *r = self;
    const struct raster_options *o = env->options;
    return lattice_open(&r->lattice, env, &o->lattice, err);
}

static bool raster_ask(void *self, struct arena *a, int max, struct candidate *out, int *n, struct err *err)
{
    const struct lattice *l = &((struct raster *)self)->lattice;
    int point[DESCENT_AXES];
    (void)err;
    for (*n = 0; *n < max && (double)l->told + *n < l->size; (*n)++) {
        lattice_at(l, (uint64_t)l->told + (uint64_t)*n, point);
        out[*n] = lattice_candidate(l, a, point);
    }
    return true;
}

static bool raster_tell(void *self, const struct candidate *c, const struct sample *s, int n, struct err *err)
{
    struct raster *r = self;
    (void)err;
    lattice_tell(&r->lattice, c, s, n, NULL);
    return true;
}

static void raster_close(void *self)
{
    lattice_close(&((struct raster *)self)->lattice);
}

const struct searcher searcher_raster = {
    .name = "knob-grid",
    .summary = "grid search over a seed's split lengths, in order (rival of droplet)",
    .settings = settings,
    .options_size = sizeof(struct raster_options),
    .state_size = sizeof(struct raster),
    .needs_seed = true,
    .open = raster_open,
    .ask = raster_ask,
    .tell = raster_tell,
    .close = raster_close,
};
