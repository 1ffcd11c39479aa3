/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/cli/option.h"

const struct setting *option_find(const struct setting *table, const char *name)
{
    for (; table && table->name; table++)
        if (str_eq(table->name, name))
            return table;
    return NULL;
}

void option_value(const struct setting *o, struct text *t)
{
    text_add(t, o->word ? o->word : "");
    for (int i = 0; !o->word && o->type == SETTING_ENUM && o->choices[i]; i++)
        text_printf(t, "%s%s", i ? "|" : "", o->choices[i]);
}

void option_help(const struct setting *o, struct text *t)
{
    text_add(t, o->help);
    if (o->type != SETTING_BOOL && o->fallback && *o->fallback && !str_eq(o->fallback, "0"))
        text_printf(t, " (%s)", o->fallback);
}
