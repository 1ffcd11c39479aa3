/* SPDX-License-Identifier: Apache-2.0 */
/* location: TVM v0.16's "change compute location" and its candidates (harness/doc/ansor.md, "Random annotation"). Quirk
 * kept: when a candidate is drawn, the extents of open splits are not known yet, so an iterator that turns out to have
 * extent 1 is a place like any other; the split before an RF stands at 1 there, so the iterators it made look as if
 * they had extent 1. */
#include "search/sketch/location.h"

#include "search/sketch/stage_query.h"

bool location_is_free(const struct state *s, int stage)
{
    return stage_is_compute(s, stage) && s->stages[stage].at != AT_INLINED && !stage_is_tiled(s, stage) &&
           !stage_needs_tiling(s, stage);
}

static void place_add(struct place out[LOCATION_MAX], int *n, int stage, int iter)
{
    if (*n < LOCATION_MAX)
        out[(*n)++] = (struct place){.stage = stage, .iter = iter};
}

/* Places at the consumer itself. */
static int places_at(const struct state *s, int target, struct place out[LOCATION_MAX])
{
    const struct stage *st = &s->stages[target];
    bool tiled = stage_is_tiled(s, target), seen_reduce = false;
    int n = 0;
    for (int i = 0; i < st->nleaf; i++) {
        const struct ivar *v = stage_iter(st, i);
        if (v->kind == ITER_REDUCE) {
            seen_reduce = true;
            if (!tiled)
                break;
        } else if (v->kind == ITER_SPATIAL && seen_reduce) {
            break; /* not into the inner tile */
        }
        if (v->annotation == ANN_UNROLL)
            break; /* not into the unrolled indices of a constant tensor */
        if (v->extent == 1)
            continue;
        if (st->at == AT_ITER && v->kind == ITER_SPATIAL && str_ends(v->name, ".0"))
            continue; /* of extent 1 always, since the target follows its own consumer */
        place_add(out, &n, target, i);
        if (state_has_attached(s, target, i))
            break;
    }
    return n;
}

int location_places(const struct state *s, int stage, struct place out[LOCATION_MAX])
{
    int target = stage_single_consumer(s, stage);
    if (target < 0)
        return 0;
    int n = places_at(s, target, out);
    if (s->stages[target].at != AT_ITER)
        return n;
    int outer = s->stages[target].at_stage;
    const struct stage *st = &s->stages[outer];
    for (int i = 0; i < st->nleaf; i++) {
        const struct ivar *v = stage_iter(st, i);
        if (v->kind == ITER_REDUCE || state_has_attached(s, outer, i) || v->annotation == ANN_UNROLL)
            break;
        if (v->extent != 1)
            place_add(out, &n, outer, i);
    }
    return n;
}

bool location_draw(struct state *s, struct rng *r, struct err *err)
{
    struct place places[LOCATION_MAX];
    for (int stage = s->nstages - 1; stage >= 0; stage--) {
        if (!location_is_free(s, stage))
            continue;
        int n = location_places(s, stage, places);
        uint64_t choice = rng_below(r, (uint64_t)n + 2);
        if (choice == 0) {
            if (!stage_has_reduce(s, stage) && s->stages[stage].at == AT_ITER && !state_compute_inline(s, stage, err))
                return false;
        } else if (choice == 1) {
            if (!state_compute_root(s, stage, err))
                return false;
        } else if (!state_compute_at(s, stage, places[choice - 2].stage, places[choice - 2].iter, err)) {
            return false;
        }
    }
    return true;
}
