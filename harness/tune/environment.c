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

/* Of `in` what `other` has, too. */
static void keep_common(cJSON *in, const cJSON *other)
{
    for (cJSON *m = in->child, *next; m; m = next) {
        const cJSON *same = cJSON_GetObjectItemCaseSensitive(other, m->string);
        next = m->next;
        if (cJSON_IsObject(m) && cJSON_IsObject(same))
            keep_common(m, same);
        else if (!cJSON_Compare(m, same, true))
            cJSON_Delete(cJSON_DetachItemViaPointer(in, m));
    }
}

/* What the n environments have for a fact: "A", or "A, B and C" where it differs. NULL: none has it. */
static const char *values(struct arena *a, cJSON *const *all, int n, int i, bool *differ)
{
    const char **found = ARENA_ARRAY(a, const char *, n), *out = NULL;
    int nfound = 0;
    for (int k = 0; k < n; k++) {
        const char *x = fact(a, all[k], i);
        bool known = !x;
        for (int j = 0; j < nfound && !known; j++)
            known = str_eq(found[j], x);
        if (!known)
            found[nfound++] = x;
    }
    for (int j = 0; j < nfound; j++)
        out = j ? arena_printf(a, "%s%s%s", out, j == nfound - 1 ? " and " : ", ", found[j]) : found[0];
    *differ = nfound > 1;
    return out;
}

/* A member for each kind of machine: what its environments did. */
static void put_kinds(struct arena *a, cJSON *in, const char *const *kinds, const char *const *did, int n)
{
    for (int k = 0; k < n; k++) {
        const char *text = "";
        if (json_get(in, kinds[k]))
            continue;
        for (int j = k; j < n; j++)
            if (str_eq(kinds[j], kinds[k]))
                text = arena_printf(a, "%s%s%s", text, *text ? "; " : "", did[j]);
        json_put_str(in, kinds[k], text);
    }
}

/* Puts into joined what each has for a fact that differs, and adds it to its kind. For people; NULL: none does. */
static const char *put_facts(struct arena *a, cJSON *joined, cJSON *const *all, const char **kinds, int n)
{
    const char *unlike = NULL;
    for (size_t i = 0; i < sizeof FACTS / sizeof *FACTS; i++) {
        bool differ;
        const char *each = values(a, all, n, (int)i, &differ);
        cJSON *part = cJSON_GetObjectItemCaseSensitive(joined, FACTS[i].part);
        if (!differ)
            continue;
        json_put_str(part ? part : json_put_object(joined, FACTS[i].part), FACTS[i].name, each);
        unlike = arena_printf(a, "%s%s%s: %s", unlike ? unlike : "", unlike ? "; " : "", FACTS[i].title, each);
        for (int k = 0; k < n; k++) {
            const char *own = fact(a, all[k], (int)i);
            kinds[k] = arena_printf(a, "%s%s%s", kinds[k], *kinds[k] ? ", " : "", own ? own : "unknown");
        }
    }
    return unlike;
}

const char *environment_unlike(struct arena *a, const char *const *all, const char *const *did, const char **kinds,
                               int n)
{
    cJSON **each = ARENA_ARRAY(a, cJSON *, n), *joined = json_parse(all[0], strlen(all[0]), "environment", NULL);
    struct text t = {0};
    joined = joined ? joined : json_object();
    for (int k = 0; k < n; k++) {
        kinds[k] = "";
        each[k] = json_parse(all[k], strlen(all[k]), "environment", NULL);
        keep_common(joined, each[k]);
    }
    cJSON_DeleteItemFromObjectCaseSensitive(joined, "shards");
    const char *unlike = put_facts(a, joined, each, kinds, n);
    if (unlike) {
        cJSON *shards = json_put_object(joined, "shards");
        json_put_str(shards, "unlike", unlike);
        put_kinds(a, shards, kinds, did, n);
    }
    json_print(joined, &t);
    for (int k = 0; k < n; k++)
        cJSON_Delete(each[k]);
    const char *out = text_keep(&t, a);
    return unlike ? out : NULL;
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
