/* SPDX-License-Identifier: Apache-2.0 */
/* measured_set: a growing array, and a map from state hash to its entries. */
#include "search/evolution/measured_set.h"

#include "harness/base/vec.h"

#include <math.h>
#include <stdlib.h>

static void free_deferred(void *set)
{
    struct measured_set *m = set;
    map_free(&m->known);
    free(m->programs);
}

void measured_set_open(struct measured_set *m, struct arena *a)
{
    *m = (struct measured_set){.arena = a};
    arena_defer(a, free_deferred, m);
}

void measured_set_tell(struct measured_set *m, const struct candidate *c, const struct sample *s, int n)
{
    for (int i = 0; i < n; i++) {
        if (measured_set_knows(m, c[i].hash))
            continue;
        map_put(&m->known, c[i].hash, (uint64_t)m->n);
        double mean = sample_mean(&s[i]);
        if (m->n == m->cap)
            m->programs = vec_grow(m->programs, &m->cap, m->n + 1, sizeof *m->programs);
        m->programs[m->n++] =
            (struct measured_program){.steps = steps_copy(m->arena, c[i].steps, c[i].nsteps),
                                      .nsteps = c[i].nsteps,
                                      .hash = c[i].hash,
                                      .throughput = isfinite(mean) && mean > 0 ? 1 / mean : MEASURED_SET_FAILED};
    }
}

bool measured_set_told(void *self, const struct candidate *c, const struct sample *s, int n, struct err *err)
{
    (void)err;
    measured_set_tell(self, c, s, n);
    return true;
}

bool measured_set_knew(const struct measured_set *m, uint64_t hash, int n)
{
    uint64_t number;
    return map_get(&m->known, hash, &number) && number < (uint64_t)n;
}

bool measured_set_knows(const struct measured_set *m, uint64_t hash)
{
    return map_get(&m->known, hash, NULL);
}

/* For qsort: throughput and number in programs. */
struct rank {
    double throughput;
    int number;
};

static int rank_compare(const void *a, const void *b)
{
    const struct rank *x = a, *y = b;
    if (x->throughput != y->throughput)
        return x->throughput > y->throughput ? -1 : 1;
    return (x->number > y->number) - (x->number < y->number);
}

int measured_set_best(const struct measured_set *m, int most, int *out)
{
    if (most <= 0 || m->n == 0)
        return 0;
    struct rank *ranks = vec_grow(NULL, &(int){0}, m->n, sizeof *ranks);
    for (int i = 0; i < m->n; i++)
        ranks[i] = (struct rank){m->programs[i].throughput, i};
    qsort(ranks, (size_t)m->n, sizeof *ranks, rank_compare);
    int n = most < m->n ? most : m->n;
    for (int i = 0; i < n; i++)
        out[i] = ranks[i].number;
    free(ranks);
    return n;
}
