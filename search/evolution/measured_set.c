/* SPDX-License-Identifier: Apache-2.0 */
/* measured_set: see measured_set.h. */
#include "search/evolution/measured_set.h"

#include "harness/base/vec.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void measured_set_open(struct measured_set *l)
{
    memset(l, 0, sizeof *l);
    l->arena = arena_open("ledger");
}

void measured_set_close(struct measured_set *l)
{
    map_free(&l->known);
    free(l->lines);
    arena_close(l->arena);
    memset(l, 0, sizeof *l);
}

void measured_set_tell(struct measured_set *l, const struct candidate *c, const struct sample *s, int n)
{
    for (int i = 0; i < n; i++) {
        if (measured_set_knows(l, c[i].hash))
            continue;
        map_put(&l->known, c[i].hash, (uint64_t)l->n);
        double mean = sample_mean(&s[i]);
        if (l->n == l->cap)
            l->lines = vec_grow(l->lines, &l->cap, l->n + 1, sizeof *l->lines);
        l->lines[l->n++] =
            (struct measured_set_line){.steps = steps_copy(l->arena, c[i].steps, c[i].nsteps),
                                       .nsteps = c[i].nsteps,
                                       .hash = c[i].hash,
                                       .throughput = isfinite(mean) && mean > 0 ? 1 / mean : MEASURED_SET_FAILED};
    }
}

bool measured_set_knows(const struct measured_set *l, uint64_t hash)
{
    return map_get(&l->known, hash, NULL);
}

/* ctx-free order for qsort: pairs of throughput and line number. */
struct rank {
    double throughput;
    int line;
};

static int rank_compare(const void *a, const void *b)
{
    const struct rank *x = a, *y = b;
    if (x->throughput != y->throughput)
        return x->throughput > y->throughput ? -1 : 1;
    return (x->line > y->line) - (x->line < y->line);
}

int measured_set_best(const struct measured_set *l, int most, int *out)
{
    if (most <= 0 || l->n == 0)
        return 0;
    struct rank *ranks = vec_grow(NULL, &(int){0}, l->n, sizeof *ranks);
    for (int i = 0; i < l->n; i++)
        ranks[i] = (struct rank){l->lines[i].throughput, i};
    qsort(ranks, (size_t)l->n, sizeof *ranks, rank_compare);
    int n = most < l->n ? most : l->n;
    for (int i = 0; i < n; i++)
        out[i] = ranks[i].line;
    free(ranks);
    return n;
}
