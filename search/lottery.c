/* SPDX-License-Identifier: Apache-2.0 */
/* lottery: searcher 'knob-random': points of a seed's lattice drawn uniformly, none twice, point 0 first
 * (src/RandomSearch.py of lac-dcc/bennu). */
#include "search/lattice.h"

struct lottery_options {
    struct lattice_options lattice;
};
static const struct setting settings[] = {LATTICE_SETTINGS(struct lottery_options, lattice), {0}};

struct lottery {
    struct lattice lattice;
    struct searcher_env *env;
};

static bool lottery_open(void *self, struct searcher_env *env, struct err *err)
{
    struct lottery *t = self;
    const struct lottery_options *o = env->options;
    t->env = env;
    return lattice_open(&t->lattice, env, &o->lattice, err);
}

static bool lottery_ask(void *self, struct arena *a, int max, struct candidate *out, int *n, struct err *err)
{
    struct lottery *t = self;
    const struct lattice *l = &t->lattice;
    struct map picked = {0};
    int point[DESCENT_AXES];
    (void)err;
    for (*n = 0; *n < max; (*n)++) {
        if (l->told + *n == 0)
            lattice_at(l, 0, point);
        else if (!lattice_fresh(l, &t->env->rng, &picked, point))
            break;
        map_put(&picked, lattice_key(l, point), 0);
        out[*n] = lattice_candidate(l, a, point);
    }
    map_free(&picked);
    return true;
}

static bool lottery_tell(void *self, const struct candidate *c, const struct sample *s, int n, struct err *err)
{
    struct lottery *t = self;
    (void)err;
    lattice_tell(&t->lattice, c, s, n, NULL);
    return true;
}

static void lottery_close(void *self)
{
    lattice_close(&((struct lottery *)self)->lattice);
}

const struct searcher searcher_lottery = {
    .name = "knob-random",
    .summary = "random search over a seed's split lengths (rival of droplet)",
    .settings = settings,
    .options_size = sizeof(struct lottery_options),
    .state_size = sizeof(struct lottery),
    .needs_seed = true,
    .open = lottery_open,
    .ask = lottery_ask,
    .tell = lottery_tell,
    .close = lottery_close,
};
