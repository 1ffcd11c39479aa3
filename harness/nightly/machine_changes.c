/* SPDX-License-Identifier: Apache-2.0 */
/* machine_changes: two JSON objects, member by member. */
#include "harness/nightly/machine_changes.h"

#include "harness/base/json.h"

#include <string.h>

/* Members of two JSON objects that differ, one level of objects deep: "kernel '6.1' is now '6.2'". */
static void differences(const cJSON *old, const cJSON *new, struct text *t)
{
    for (const cJSON *m = new ? new->child : NULL; m; m = m->next) {
        const cJSON *was = json_get(old, m->string);
        if (cJSON_IsObject(m)) {
            differences(was, m, t);
            continue;
        }
        char *a = was ? cJSON_PrintUnformatted(was) : NULL, *b = cJSON_PrintUnformatted(m);
        if (b && (!a || !str_eq(a, b)))
            text_printf(t, "%s%s %s is now %s", t->len ? ", " : "", m->string, a ? a : "(unknown)", b);
        cJSON_free(a);
        cJSON_free(b);
    }
}

static void text_differences(const char *old, const char *new, struct text *t)
{
    struct err ignored = {0};
    cJSON *a = json_parse(old, strlen(old), "history", &ignored),
          *b = json_parse(new, strlen(new), "history", &ignored);
    if (a && b)
        differences(a, b, t);
    cJSON_Delete(a);
    cJSON_Delete(b);
}

void machine_changes(const struct night *old, const struct night *new, struct text *t)
{
    text_differences(old->identity, new->identity, t);
    text_differences(old->environment, new->environment, t);
}
