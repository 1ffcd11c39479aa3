/* SPDX-License-Identifier: Apache-2.0 */
/* fixture: see fixture.h. */
#include "tests/lib/fixture.h"

#include "harness/base/file.h"
#include "harness/base/json.h"
#include "harness/base/map.h"
#include "harness/experiment/network.h"
#include "harness/program/lower/bound.h"
#include "models/models.h"
#include "search/searchers.h"
#include "targets/targets.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct task *fixture_task(struct arena *a, const char *spec)
{
    struct task *t;
    struct err err = {0};
    if (!task_parse(a, spec, &t, &err))
        bug("%s: %s", spec, err.text);
    return t;
}

struct step *fixture_steps(struct arena *a, const char *json, int *n)
{
    struct step *steps = NULL;
    *n = 0;
    struct err err = {0};
    cJSON *parsed = json_parse(json, strlen(json), "steps", &err);
    fixture_must(parsed && steps_parse(a, parsed, &steps, n, &err), &err);
    cJSON_Delete(parsed);
    return steps;
}

struct state *fixture_state(struct arena *a, const struct task *t, const char *json)
{
    int n;
    struct state *s;
    struct err err = {0};
    const struct step *steps = fixture_steps(a, json, &n);
    if (!state_replay(a, t, steps, n, &s, &err) || !bound_infer(s, &err))
        bug("%s: %s", t->spec, err.text);
    return s;
}

struct nest *fixture_nest(struct arena *a, const char *spec, const char *json)
{
    struct nest *n;
    struct err err = {0};
    if (!lower(a, fixture_state(a, fixture_task(a, spec), json), LAYOUT_NONE, &n, &err))
        bug("%s: %s", spec, err.text);
    return n;
}

const struct task **fixture_kernels(struct arena *a, int *n, int *networks)
{
    enum { MOST = 4096 };
    char **names;
    struct err err = {0};
    struct map seen = {0};
    struct network *net;
    const struct task **out = ARENA_ARRAY(a, const struct task *, MOST);
    *n = 0;
    fixture_must(file_list(a, "experiments/networks", ".yaml", &names, networks, &err), &err);
    for (int i = 0; i < *networks; i++) {
        fixture_must(network_load(a, "experiments", file_stem(a, names[i]), &net, &err), &err);
        for (int k = 0; k < net->nkernels && *n < MOST; k++)
            if (map_put(&seen, net->tasks[k].task->hash, 0))
                out[(*n)++] = net->tasks[k].task;
    }
    map_free(&seen);
    return out;
}

int64_t fixture_number(const char *variable, int64_t fallback)
{
    int64_t v;
    const char *s = getenv(variable);
    return s && str_int(s, &v) ? v : fallback;
}

#define LOOKUP(kind)                                                                                                   \
    const struct kind *fixture_##kind(const char *name)                                                                \
    {                                                                                                                  \
        for (const struct kind *const *p = kind##s_table(); *p; p++)                                                   \
            if (str_eq((*p)->name, name))                                                                              \
                return *p;                                                                                             \
        return NULL;                                                                                                   \
    }
LOOKUP(searcher)
LOOKUP(model)
LOOKUP(target)
LOOKUP(collector)
