/* SPDX-License-Identifier: Apache-2.0 */
/* environment: facts that a machine does not change by itself. Clocks, load, kernel and the count of online cores do.
 */
#include "harness/tune/environment.h"

#include "harness/base/json.h"

#include <math.h>
#include <string.h>

static const struct {
    const char *part, *name, *title;
} FACTS[] = {
    {"host", "arch", "architecture"},
    {"host", "cpu", "processor"},
    {"target", "cpu", "processor that code is made for"}, /* virtual machines of two models may have one name */
    {"target", "gpu", "GPU"},
    {"target", "gpu_memory_gib", "GPU memory in GiB"}};

/* A fact as text; NULL: not known. */
static const char *fact(struct arena *a, const cJSON *all, int i)
{
    const cJSON *m =
        cJSON_GetObjectItemCaseSensitive(cJSON_GetObjectItemCaseSensitive(all, FACTS[i].part), FACTS[i].name);
    if (cJSON_IsNumber(m))
        return arena_printf(a, "%.0f", rint(m->valuedouble));
    return cJSON_IsString(m) && *m->valuestring ? arena_str(a, m->valuestring) : NULL;
}

/* The machine that --on named, where one of the two has such a name. */
static const char *named_difference(struct arena *a, const cJSON *old, const cJSON *new)
{
    const char *x = json_str(old, "on", ""), *y = json_str(new, "on", "");
    if (strcmp(x, y) == 0)
        return NULL;
    return *x ? arena_printf(a, "they were measured with --on %s, not %s", x, *y ? y : "here")
              : arena_printf(a, "they were measured without --on %s", y);
}

const char *environment_difference(struct arena *a, const char *had, const char *now)
{
    cJSON *old = json_parse(had, strlen(had), "environment", NULL);
    cJSON *new = json_parse(now, strlen(now), "environment", NULL);
    const char *why = old ? named_difference(a, old, new) : NULL;
    for (size_t i = 0; i < sizeof FACTS / sizeof *FACTS && !why; i++) {
        const char *x = fact(a, old, (int)i), *y = fact(a, new, (int)i);
        if (x && y && strcmp(x, y) != 0)
            why = arena_printf(a, "their %s is '%s', here is '%s'", FACTS[i].title, x, y);
    }
    cJSON_Delete(old);
    cJSON_Delete(new);
    return why;
}

const char *environment_node(struct arena *a, const char *environment, bool is_virtual)
{
    cJSON *all = json_parse(environment, strlen(environment), "environment", NULL);
    const char *node = arena_str(a, json_str(json_get(all, is_virtual ? "target" : "host"), "node", ""));
    cJSON_Delete(all);
    return node;
}

int environment_cores(const char *environment)
{
    cJSON *all = json_parse(environment, strlen(environment), "environment", NULL);
    int cores = (int)json_num(json_get(all, "host"), "cores_usable", 0);
    cJSON_Delete(all);
    return cores;
}
