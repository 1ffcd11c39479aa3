/* SPDX-License-Identifier: Apache-2.0 */
/* json_reference: one section a form of a verb's JSON, one row a member. */
#include "harness/cli/reference/json_reference.h"

#include "harness/cli/verbs.h"

static void add_form(const struct json_form *f, struct text *t)
{
    text_printf(t, "\n## `%s --json`\n\n", f->command);
    if (f->list)
        text_add(t, "A list of objects with these members.\n\n");
    text_add(t, "| member | unit or type | what it is |\n|---|---|---|\n");
    for (const struct json_member *m = f->members; m->path; m++)
        text_printf(t, "| `%s` | %s | %s%s |\n", m->path, m->type, m->sometimes ? "(sometimes) " : "", m->help);
}

void json_reference(struct text *t)
{
    text_add(t, "# JSON of the verbs\n\n"
                "Written by `raingauge doc json`; do not edit it. Members may be added; those here keep\n"
                "name and meaning. A number that is not there is `null`. Data is on stdout, all else on\n"
                "stderr. `[]` in a path stands for each element of a list, `{name}` for each member of an\n"
                "object. A member marked (sometimes) may be absent.\n");
    for (int i = 0; verbs[i]; i++)
        for (const struct json_form *f = verbs[i]->json; f && f->command; f++)
            if (f->members)
                add_form(f, t);
}
