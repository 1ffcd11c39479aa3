/* SPDX-License-Identifier: Apache-2.0 */
/* lattice: axes as src/space.py of lac-dcc/bennu (0f9544b) makes them for the rivals: Space(record, task, False).
 *
 * Deviations: a point has one identity (their knob2point is not unique), and a candidate is a copy, so batches hold
 * different schedules (theirs held the last one as often as the batch was long; fixed in 901e8eb). */
#include "search/lattice.h"

#include "harness/base/hash.h"

#include <string.h>

enum { TRIES = 4096 };

bool lattice_open(struct lattice *l, struct searcher_env *env, const struct lattice_options *o, struct err *err)
{
    *l = (struct lattice){.env = env, .size = 1};
    if (!env->seed)
        return err_set(err, "an exploiter needs a seed schedule: name an arm to explore first");
    l->arena = arena_open("lattice");
    l->n = knobs_of(l->arena, env->seed->steps, env->seed->nsteps, o->inherit ? KNOB_BENNU : KNOB_UNIT, l->knobs,
                    DESCENT_AXES);
    for (int i = 0; i < l->n; i++)
        l->size *= l->knobs[i].n;
    return true;
}

void lattice_close(struct lattice *l)
{
    if (!l->arena)
        return;
    map_free(&l->visited);
    arena_close(l->arena);
    l->arena = NULL;
}

uint64_t lattice_key(const struct lattice *l, const int *point)
{
    return hash_bytes(point, sizeof *point * (size_t)l->n, 1);
}

void lattice_at(const struct lattice *l, uint64_t index, int *point)
{
    for (int i = 0; i < l->n; i++) {
        point[i] = (int)(index % (uint64_t)l->knobs[i].n);
        index /= (uint64_t)l->knobs[i].n;
    }
}

void lattice_draw(const struct lattice *l, struct rng *r, int *point)
{
    for (int i = 0; i < l->n; i++)
        point[i] = (int)rng_below(r, (uint64_t)l->knobs[i].n);
}

void lattice_step(const struct lattice *l, struct rng *r, int *point)
{
    bool moved = l->size <= 1;
    while (!moved) {
        int axis = (int)rng_below(r, (uint64_t)l->n);
        int to = (int)rng_below(r, (uint64_t)l->knobs[axis].n);
        moved = to != point[axis];
        point[axis] = to;
    }
}

static bool fresh(const struct lattice *l, const struct map *picked, const int *point)
{
    uint64_t key = lattice_key(l, point);
    return !map_get(&l->visited, key, NULL) && !map_get(picked, key, NULL);
}

bool lattice_fresh(const struct lattice *l, struct rng *r, const struct map *picked, int *point)
{
    for (int i = 0; i < TRIES; i++) {
        lattice_draw(l, r, point);
        if (fresh(l, picked, point))
            return true;
    }
    for (uint64_t i = 0; i < l->size && l->size <= 1e6; i++) {
        lattice_at(l, i, point);
        if (fresh(l, picked, point))
            return true;
    }
    return false;
}

void lattice_locate(const struct lattice *l, const struct candidate *c, int *point)
{
    for (int i = 0; i < l->n; i++) {
        const struct knob *k = &l->knobs[i];
        const struct step *s = &c->steps[k->step];
        int64_t value = k->place < 0 ? s->value : s->list[k->place];
        point[i] = 0;
        for (int v = 0; v < k->n; v++)
            if (k->values[v] == value)
                point[i] = v;
    }
}

void lattice_features(const struct lattice *l, const int *point, double *out)
{
    for (int i = 0; i < l->n; i++)
        out[i] = (double)l->knobs[i].values[point[i]];
}

struct candidate lattice_candidate(const struct lattice *l, struct arena *a, const int *point)
{
    return knobs_candidate(a, l->env->seed, l->knobs, l->n, point);
}

int *lattice_tell(struct lattice *l, const struct candidate *c, const struct sample *s, int n, double *throughput)
{
    int *points = ARENA_ARRAY(l->arena, int, n * l->n + 1);
    for (int i = 0; i < n; i++) {
        int *p = points + (size_t)i * (size_t)l->n;
        lattice_locate(l, &c[i], p);
        map_put(&l->visited, lattice_key(l, p), 0);
        l->history = hash_mix(l->history, c[i].hash);
        if (throughput)
            throughput[i] = s[i].outcome == OUTCOME_OK ? 1 / sample_mean(&s[i]) : 0;
    }
    l->told += n;
    return points;
}
