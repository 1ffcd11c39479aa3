/* SPDX-License-Identifier: Apache-2.0 */
/* measured_set: a map from state hash to the number of a program, and a sorted array of the best. What is not among
 * them never will be again, so its steps go: copies are made anew when a fifth of them is of such programs. */
#include "search/evolution/measured_set.h"

#include <math.h>
#include <string.h>

static void free_deferred(void *set)
{
    struct measured_set *m = set;
    map_free(&m->known);
    arena_close(m->steps);
}

void measured_set_open(struct measured_set *m, struct arena *a, int most)
{
    *m = (struct measured_set){.steps = arena_open("measured set"), .most = most};
    m->best = ARENA_ARRAY(a, struct measured_program, most + 1);
    arena_defer(a, free_deferred, m);
}

static void copy_anew(struct measured_set *m)
{
    struct arena *a = arena_open("measured set");
    for (m->copied = 0; m->copied < m->nbest; m->copied++) {
        struct measured_program *p = &m->best[m->copied];
        p->steps = steps_copy(a, p->steps, p->nsteps);
    }
    arena_close(m->steps);
    m->steps = a;
}

/* Of equals the one measured first is better. */
static void keep(struct measured_set *m, const struct candidate *c, double throughput)
{
    int at = m->nbest;
    while (at > 0 && m->best[at - 1].throughput < throughput)
        at--;
    if (at == m->most)
        return;
    m->nbest += m->nbest < m->most;
    memmove(&m->best[at + 1], &m->best[at], sizeof *m->best * (size_t)(m->nbest - 1 - at));
    m->best[at] = (struct measured_program){steps_copy(m->steps, c->steps, c->nsteps), c->nsteps, c->hash, throughput};
    if (++m->copied > m->most + m->most / 4)
        copy_anew(m);
}

void measured_set_tell(struct measured_set *m, const struct candidate *c, const struct sample *s, int n)
{
    for (int i = 0; i < n; i++) {
        if (measured_set_knows(m, c[i].hash))
            continue;
        map_put(&m->known, c[i].hash, (uint64_t)m->n++);
        double mean = sample_mean(&s[i]);
        keep(m, &c[i], isfinite(mean) && mean > 0 ? 1 / mean : MEASURED_SET_FAILED);
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
