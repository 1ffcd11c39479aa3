/* SPDX-License-Identifier: Apache-2.0 */
/* key_reference: the page has every key once, with what a person needs to know of it. */
#include "harness/experiment/key_reference.h"

#include "harness/experiment/experiment.h"
#include "tests/lib/tap.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

static const struct setting *const TABLES[] = {
    file_keys,          experiment_keys,     campaign_key_table,    arm_keys,
    cell_key_table,     machine_keys,        machine_facts_keys,    machine_nightly_keys,
    machine_match_keys, machine_limits_keys, machine_analyzer_keys, network_keys,
    network_kernel_keys};

int main(void)
{
    struct text page = {0};
    int rows = 0, missing = 0, fragments = 0;
    key_reference(&page);
    for (size_t i = 0; i < sizeof TABLES / sizeof *TABLES; i++)
        for (const struct setting *s = TABLES[i]; s->name; s++, rows++) {
            size_t n = strlen(s->help);
            char begin[64];
            snprintf(begin, sizeof begin, "\n| `%s` | ", s->name);
            if (s->derived)
                continue;
            if (!strstr(text_str(&page), begin) && missing++ == 0)
                diag("no row of '%s'", s->name);
            if ((!isupper((unsigned char)s->help[0]) || s->help[n - 1] != '.') && fragments++ == 0)
                diag("'%s' is explained by '%s'", s->name, s->help);
        }
    ok(rows > 60, "the tables have %d rows", rows);
    is_int(missing, 0, "every key that a file may have is on the page");
    ok(!strstr(text_str(&page), "explore_cell"), "a key that follows from others is not on the page");
    is_int(fragments, 0, "every key is explained by a whole sentence");
    ok(strstr(text_str(&page), "| `k_plus_one` | true or false | `false` |  | Consider k + 1 records"),
       "a row has name, type, default and meaning");
    ok(strstr(text_str(&page), "| `seeds` | whole number | `1` | 1 to 1000 | "), "a row of a number has its range");
    ok(strstr(text_str(&page), "| `report` | one of `table3`, `contest`, `micro`, `variance`, `race` | needed |"),
       "a row of a choice has the choices, and whether it is needed");
    text_free(&page);
    return done_testing();
}
