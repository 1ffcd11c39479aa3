/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/cli/target_option.h"

#include "harness/plug/target.h"

#include <string.h>

bool target_option_parse(struct cli *c, const char *text, struct target_option *out, struct err *err)
{
    const char *comma = strchr(text, ',');
    void *unused;
    out->settings = comma ? comma + 1 : "";
    out->target =
        registry_target(c->registry, arena_strn(c->arena, text, comma ? (size_t)(comma - text) : strlen(text)), err);
    if (!out->target)
        return false;
    return setting_options(c->arena, out->target->settings, out->target->options_size, out->settings, &unused, err) ||
           err_context(err, "--target %s", out->target->name);
}

bool target_option_layout(const char *word, bool of_record, int *out, struct err *err)
{
    static const char *const names[] = {"none", "insert", "rewritten", "record"};
    for (int i = 0; i < (of_record ? 4 : 3); i++)
        if (str_eq(word, names[i])) {
            *out = i == 3 ? -1 : i;
            return true;
        }
    return err_set(err, "unknown layout '%s': none, insert%s", word,
                   of_record ? ", rewritten or record" : " or rewritten");
}
