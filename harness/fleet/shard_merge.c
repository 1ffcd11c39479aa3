/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/fleet/shard_merge.h"

#include "harness/record/merge.h"
#include "harness/tune/environment.h"

static bool environment_of(struct arena *a, const char *dir, const char **out, struct err *err)
{
    struct store *s;
    if (!store_open_read(dir, &s, err))
        return false;
    *out = arena_str(a, store_campaign(s)->environment);
    store_close(s);
    return true;
}

static bool same_machines(struct arena *a, const char *const *shards, int n, struct err *err)
{
    const char *first = NULL, *now = NULL, *other;
    for (int i = 0; i < n; i++) {
        if (!environment_of(a, shards[i], i ? &now : &first, err))
            return false;
        if (i && (other = environment_difference(a, first, now)))
            return err_set(err, "'%s' and '%s' are of unlike machines: %s", shards[0], shards[i], other);
    }
    return true;
}

bool shards_merge(const char *out, const char *const *shards, int n, int *missing, struct err *err)
{
    struct arena *a = arena_open("shards");
    bool fine = same_machines(a, shards, n, err);
    arena_close(a);
    return fine && records_merge(out, shards, n, missing, err);
}
