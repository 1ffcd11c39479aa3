/* SPDX-License-Identifier: Apache-2.0 */
/* experiment_index: reads only what it tells; experiment.c checks the rest of the file. */
#include "harness/experiment/experiment_index.h"

#include "harness/base/file.h"
#include "harness/base/text.h"
#include "harness/experiment/yaml.h"

static int count_of(const struct yaml *map, const char *key)
{
    const struct yaml *list = yaml_get(map, key);
    return !list ? 0 : list->kind == YAML_LIST ? list->n : 1;
}

static bool add_networks(struct arena *a, const struct yaml *map, struct experiment_index *r, struct err *err)
{
    const char *const *names = NULL;
    int n = 0;
    if (!yaml_strings(a, map, "networks", false, &names, &n, err))
        return false;
    const char **all = ARENA_ARRAY(a, const char *, r->nnetworks + n + 1);
    for (int i = 0; i < r->nnetworks; i++)
        all[i] = r->networks[i];
    for (int i = 0; i < n; i++) {
        bool known = false;
        for (int k = 0; k < r->nnetworks && !known; k++)
            known = str_eq(all[k], names[i]);
        if (!known)
            all[r->nnetworks++] = names[i];
    }
    r->networks = all;
    return true;
}

static bool read_arms(struct arena *a, const struct yaml *doc, struct experiment_index *r, struct err *err)
{
    const struct yaml *list = yaml_get(doc, "arms");
    int n = list && list->kind == YAML_LIST ? list->n : 0;
    r->arms = ARENA_ARRAY(a, struct experiment_index_arm, n + 1);
    for (r->narms = 0; r->narms < n; r->narms++) {
        struct experiment_index_arm *arm = &r->arms[r->narms];
        const struct yaml *node = list->at[r->narms];
        if (!yaml_string(node, "name", true, &arm->name, err))
            return false;
        arm->explores = yaml_get(node, "explore") != NULL;
        arm->most_k = count_of(node, "k");
    }
    return true;
}

static bool read_tier(struct arena *a, const struct yaml *tier, struct experiment_index *r, struct err *err)
{
    const struct yaml *arms = yaml_get(tier, "arms");
    for (int i = 0; i < r->narms && arms && arms->kind == YAML_MAP; i++) {
        int n = count_of(yaml_get(arms, r->arms[i].name), "k");
        r->arms[i].most_k = n > r->arms[i].most_k ? n : r->arms[i].most_k;
    }
    return add_networks(a, tier, r, err);
}

bool experiment_index_load(struct arena *a, const char *folder, const char *stem, struct experiment_index *out,
                           struct err *err)
{
    struct yaml *doc;
    *out = (struct experiment_index){.stem = stem, .report = ""};
    if (!yaml_load(a, file_join(a, folder, arena_printf(a, "%s.yaml", stem)), &doc, err) ||
        !yaml_string(doc, "report", false, &out->report, err) || !read_arms(a, doc, out, err) ||
        !add_networks(a, doc, out, err))
        return false;
    const struct yaml *tiers = yaml_get(doc, "tiers");
    for (int i = 0; tiers && tiers->kind == YAML_MAP && i < tiers->n; i++)
        if (tiers->at[i]->kind == YAML_MAP && !read_tier(a, tiers->at[i], out, err))
            return false;
    return true;
}

int experiment_index_explorers(const struct experiment_index *r, const char **names, int most)
{
    int n = 0;
    for (int i = 0; i < r->narms && n < most; i++)
        if (r->arms[i].explores)
            names[n++] = r->arms[i].name;
    return n;
}

int experiment_index_rivals(const struct experiment_index *r, const char **names, int most)
{
    int n = 0;
    for (int i = 1; i < r->narms && n < most; i++)
        names[n++] = r->arms[i].name;
    return n;
}

const struct experiment_index_arm *experiment_index_arm(const struct experiment_index *r, const char *name)
{
    for (int i = 0; i < r->narms; i++)
        if (str_eq(r->arms[i].name, name))
            return &r->arms[i];
    return NULL;
}

bool experiment_has_tier(struct arena *a, const char *folder, const char *stem, const char *tier)
{
    struct yaml *doc;
    char *path = file_join(a, folder, arena_printf(a, "%s.yaml", stem));
    return !yaml_load(a, path, &doc, NULL) || yaml_get(yaml_get(doc, "tiers"), tier);
}
