/* SPDX-License-Identifier: Apache-2.0 */
/* tiling: reproduces TVM's DoMultiLevelTiling and FollowTiling (harness/doc/ansor.md, "Multi-level tiling"). Deviation:
 * the operator attributes no_split_at_inner and always_unroll_inner do not exist here; no operator of TVM v0.16 sets
 * either. */
#include "search/sketch/tiling.h"

#include <string.h>

static int tiling_count(const char *structure, char letter)
{
    int n = 0;
    for (const char *c = structure; *c; c++)
        n += *c == letter;
    return n;
}

bool tiling_structure_ok(const char *structure)
{
    size_t n = strlen(structure);
    return n >= 2 && n <= 16 && strspn(structure, "SR") == n && strchr(structure, 'S');
}

/* The axes of a tiled stage; their parts stand axis by axis. */
struct tiled_axes {
    int n;
    int first[TILING_AXES], parts[TILING_AXES]; /* first part; number of parts */
    bool reduce[TILING_AXES];
};

/* The order of the parts level by level. */
static int tiling_order(const struct state *s, int stage, const char *structure, const struct tiled_axes *axes,
                        int *order)
{
    int level[2] = {0, 0}, n = 0;
    for (const char *c = structure; *c; c++) {
        int l = level[*c == 'R']++;
        for (int i = 0; i < axes->n; i++)
            if (axes->reduce[i] == (*c == 'R') && l < axes->parts[i])
                order[n++] = axes->first[i] + l;
    }
    if (n != s->stages[stage].nleaf)
        bug("tiling places %d of %d iterators", n, s->stages[stage].nleaf);
    return n;
}

bool tiling_apply(struct state *s, int stage, const char *structure, int spatial_steps[TILING_AXES], int *nspatial,
                  struct err *err)
{
    static const int64_t open[16] = {0};
    int levels[2] = {tiling_count(structure, 'S'), tiling_count(structure, 'R')};
    int order[16 * TILING_AXES], at = 0, n = s->stages[stage].nleaf;
    struct tiled_axes axes = {.n = n};
    *nspatial = 0;
    if (n > TILING_AXES)
        return err_set(err, "stage %d has %d iterators, more than %d", stage, n, TILING_AXES);
    for (int i = 0; i < n; i++) {
        const struct ivar *v = stage_iter(&s->stages[stage], at);
        if (v->kind != ITER_SPATIAL && v->kind != ITER_REDUCE)
            return err_set(err, "iterator '%s' is neither spatial nor reduce", v->name);
        bool reduce = v->kind == ITER_REDUCE;
        int parts = levels[reduce];
        if (!parts)
            return err_set(err, "structure '%s' has no place for reduce iterator '%s'", structure, v->name);
        if (parts > 1 && !state_split(s, stage, at, open, parts - 1, true, err))
            return false;
        if (parts > 1 && !reduce)
            spatial_steps[(*nspatial)++] = s->nsteps - 1;
        axes.first[i] = at;
        axes.parts[i] = parts;
        axes.reduce[i] = reduce;
        at += parts;
    }
    int m = tiling_order(s, stage, structure, &axes, order);
    return state_reorder(s, stage, order, m, err);
}

bool tiling_follow(struct state *s, int stage, const int *sources, int nsources, int level, struct err *err)
{
    int n = s->stages[stage].nleaf, order[4 * TILING_AXES], m = 0;
    if (level < 1 || level > 3)
        return err_set(err, "follow level %d is not 1, 2 or 3", level);
    if (n != nsources || n > TILING_AXES)
        return err_set(err, "stage %d has %d iterators for %d splits to follow", stage, n, nsources);
    for (int i = 0; i < n; i++) {
        const struct ivar *v = stage_iter(&s->stages[stage], i * (level + 1));
        if (v->kind != ITER_SPATIAL)
            return err_set(err, "iterator '%s' of a following stage is not spatial", v->name);
        if (!state_follow_split(s, stage, i * (level + 1), sources[i], level, err))
            return false;
    }
    for (int l = 0; l <= level; l++)
        for (int i = 0; i < n; i++)
            order[m++] = i * (level + 1) + l;
    return state_reorder(s, stage, order, m, err);
}
