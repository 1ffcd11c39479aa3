/* SPDX-License-Identifier: Apache-2.0 */
/* key_reference: a section is a title, a few sentences and the rows of one table or two. */
#include "harness/experiment/key_reference.h"

#include "harness/experiment/experiment.h"
#include "harness/program/ops/ops.h"
#include "harness/tune/duel_rules.h"

#include <ctype.h>

static const struct setting preset_key[] = {
    {.name = "preset",
     .type = SETTING_STRING,
     .fallback = "default",
     .help = "The preset that the other keys change (`raingauge list regimes`)."},
    {0},
};
struct section {
    const char *title, *about;
    const struct setting *tables[3]; /* ended by NULL */
};
static const struct section SECTIONS[] = {
    {"An experiment: `experiments/<name>.yaml`",
     "A value is looked up in three layers. The first that has it wins: a `--set KEY=VALUE` of the\n"
     "command line, the map of the tier, the file. These keys stand in the file only.\n",
     {file_keys}},
    {"An experiment or a tier",
     "These keys may stand in the file, in a tier's map, and in `--set`. A key inside a map is written\n"
     "with a dot: `--set regime.number=3`.\n",
     {campaign_key_table, experiment_keys}},
    {"An arm",
     "An item of the list `arms`. A tier changes an arm by its name: `arms: {ansor: {trials: 100}}`. So\n"
     "does `--set ansor.trials=100`, and `--set ansor.settings.NAME=VALUE` for a setting of its searcher.\n",
     {arm_keys, cell_key_table}},
    {"A timing regime", "The keys of `regime` and `retime_regime`.\n", {preset_key, regime_settings}},
    {"Duels", "The keys of `duels`. `harness/doc/measurement.md` tells what a duel is.\n", {duel_settings}},
    {"A machine: `experiments/machines/<name>.yaml`", "What kernels are run on.\n", {machine_keys}},
    {"A machine's `facts`", "`raingauge reanalyse` holds released times against them.\n", {machine_facts_keys}},
    {"A machine's `match`",
     "`raingauge doctor` tells by it which machine this computer is, and claims which one results are of:\n"
     "on another machine than its own a claim that holds is TRANSFERRED. What is not given holds for all.\n"
     "A phrase is whole words of a name, in any case.\n",
     {machine_match_keys}},
    {"A machine's `limits`",
     "The hardware parameters of TVM's records. 0: as the target finds them.\n",
     {machine_limits_keys}},
    {"A machine's `symbol_analyzer`",
     "The device of model `sa`, Pruner's Symbol-based Analyzer.\n",
     {machine_analyzer_keys}},
    {"A machine's `nightly`", "What `raingauge nightly` does on it.\n", {machine_nightly_keys}},
    {"A network: `experiments/networks/<name>.yaml`",
     "The distinct kernels of a network and the totals that must come out.\n",
     {network_keys}},
    {"A kernel of a network",
     "An item of `list`. Its other keys are those of its operator, which follow.\n",
     {network_kernel_keys}},
};

static void add_type(const struct setting *s, struct text *md)
{
    static const char *const WORDS[] = {
        [SETTING_INT] = "whole number",
        [SETTING_REAL] = "number",
        [SETTING_BOOL] = "true or false",
        [SETTING_STRING] = "text",
        [SETTING_ENUM] = "one of",
        [SETTING_INTS] = "list of whole numbers",
        [SETTING_STRINGS] = "list of names",
        [SETTING_PAIRS] = "map of settings",
        [SETTING_MAP] = "map",
    };
    if (!s->choices) {
        text_add(md, s->type == SETTING_MAP && !s->keys ? "anything" : WORDS[s->type]);
        return;
    }
    for (int i = 0; s->choices[i]; i++)
        text_printf(md, "%s`%s`", i ? ", " : "one of ", s->choices[i]);
}

static void add_range(const struct setting *s, struct text *md)
{
    if (!(s->min < s->max))
        return;
    text_number(md, s->min);
    text_add(md, " to ");
    text_number(md, s->max);
}

/* A default outside of the range stands for "not given". */
static bool has_default(const struct setting *s)
{
    double v;
    return s->fallback && *s->fallback && !(s->min < s->max && str_real(s->fallback, &v) && (v < s->min || v > s->max));
}

/* Help of plug-ins and operators is a phrase. */
static void add_sentence(const char *help, struct text *md)
{
    text_char(md, (char)toupper((unsigned char)help[0]));
    text_add(md, help + 1);
    if (!str_ends(help, "."))
        text_char(md, '.');
}

static void add_row(const struct setting *s, struct text *md)
{
    text_printf(md, "| `%s` | ", s->name);
    add_type(s, md);
    text_add(md, " | ");
    if (s->needed)
        text_add(md, "needed");
    else if (has_default(s))
        text_printf(md, "`%s`", s->fallback);
    text_add(md, " | ");
    add_range(s, md);
    text_add(md, " | ");
    add_sentence(s->help, md);
    text_add(md, " |\n");
}

static void add_table(const struct setting *const *tables, struct text *md)
{
    text_add(md, "\n| key | type | default | range | meaning |\n|---|---|---|---|---|\n");
    for (; *tables; tables++)
        for (const struct setting *s = *tables; s->name; s++)
            if (!s->derived)
                add_row(s, md);
}

void key_reference(struct text *markdown)
{
    for (size_t i = 0; i < sizeof SECTIONS / sizeof *SECTIONS; i++) {
        text_printf(markdown, "%s## %s\n\n%s", i ? "\n" : "", SECTIONS[i].title, SECTIONS[i].about);
        add_table(SECTIONS[i].tables, markdown);
    }
    for (const struct operator* const * op = ops_table(); *op; op++) {
        const struct setting *tables[] = {(*op)->keys, NULL};
        text_printf(markdown, "\n### `%s`\n\nOperator: %s.\n", (*op)->name, (*op)->summary);
        add_table(tables, markdown);
    }
}
