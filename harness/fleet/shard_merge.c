/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/fleet/shard_merge.h"

#include "harness/record/merge.h"
#include "harness/tune/environment.h"
#include "harness/tune/plan.h"

/* Its finished searches, for people: "alexnet seed 2, densenet201 seed 1". */
static bool searches(struct arena *a, struct store *s, const char **out, struct err *err)
{
    struct store_cell *cells;
    const struct store_cell *last = NULL;
    int n;
    *out = "";
    if (!store_cells(s, a, &cells, &n, err))
        return false;
    for (int i = 0; i < n; i++)
        if (str_eq(cells[i].state, "done") && !(last && plan_same_block(&last->keys, &cells[i].keys))) {
            last = &cells[i];
            *out = arena_printf(a, "%s%s%s seed %lld", *out, **out ? ", " : "", last->network, (long long)last->seed);
        }
    return true;
}

/* did NULL: its searches are not asked for. */
static bool look(struct arena *a, const char *dir, const char **environment, const char **did, struct err *err)
{
    struct store *s;
    if (!store_open_read(dir, &s, err))
        return false;
    *environment = arena_str(a, store_campaign(s)->environment);
    bool fine = !did || searches(a, s, did, err);
    store_close(s);
    return fine;
}

bool shards_merge(const char *out, const char *const *shards, int n, bool unlike, int *missing, struct err *err)
{
    struct arena *a = arena_open("shards");
    const char **environments = ARENA_ARRAY(a, const char *, n), **did = ARENA_ARRAY(a, const char *, n),
               **kinds = ARENA_ARRAY(a, const char *, n), *other;
    bool fine = true;
    for (int i = 0; i < n && fine; i++) {
        fine = look(a, shards[i], &environments[i], unlike ? &did[i] : NULL, err);
        if (fine && !unlike && (other = environment_difference(a, environments[0], environments[i])))
            fine = err_set(err,
                           "'%s' and '%s' are of unlike machines: %s (--unlike merges them all the same, and the "
                           "report says so)",
                           shards[0], shards[i], other);
    }
    if (fine) {
        const struct merge_unlike m = {unlike ? environment_unlike(a, environments, did, kinds, n) : NULL, kinds};
        fine = records_merge(out, shards, n, m.environment ? &m : NULL, missing, err);
    }
    arena_close(a);
    return fine;
}
