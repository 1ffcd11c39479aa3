/* SPDX-License-Identifier: Apache-2.0 */
/* keys: the rows, and SQL made of them. */
#include "harness/record/keys.h"

#include "harness/base/hash.h"

#include <string.h>

static const char *const SCHEDULERS[] = {"gradient", "round_robin", "sequential", NULL};

const struct setting campaign_key_table[] = {
    STRING_SETTING("experiment", struct campaign_keys, stem, NULL, "the stem of its file", .derived = true,
                   .column = "stem", .hashed = "\n"),
    STRING_SETTING("tier", struct campaign_keys, tier, NULL, "the tier that is run", .derived = true, .column = "tier"),
    STRING_SETTING("machine", struct campaign_keys, machine, "host",
                   "A file of experiments/machines: target, its settings and the threads.", .column = "machine",
                   .hashed = " "),
    STRING_SETTING("target", struct campaign_keys, target, NULL,
                   "What compiles and runs the kernels (`raingauge list targets`). Without it, the machine's target.",
                   .column = "target", .hashed = "\n"),
    PAIRS_SETTING("target_settings", struct campaign_keys, target_settings,
                  "Settings of the target. They are added to the machine's settings.", .column = "target_settings",
                  .hashed = " "),
    INT_SETTING("threads", struct campaign_keys, threads, "0", 0, 4096,
                "Threads of a kernel, 0: all. Without it, the machine's.", .column = "threads", .hashed = " "),
    INT_SETTING("layout", struct campaign_keys, layout, "2", 0, 2,
                "Layout of weights: 0 as given, 1 re-laid-out at run time, 2 re-laid-out beforehand.",
                .column = "layout", .hashed = " "),
    {0},
};

const struct setting cell_key_table[] = {
    STRING_SETTING("network", struct cell_keys, network, NULL, "one of 'networks'", .derived = true,
                   .column = "network", .hashed = "\n"),
    STRING_SETTING("arm", struct cell_keys, arm, NULL, "name of the arm, with k after it", .derived = true,
                   .column = "arm", .hashed = " "),
    INT_SETTING("seed", struct cell_keys, seed, "1", 0, 0, "one of 'seeds'", .derived = true, .column = "seed",
                .hashed = " "),
    STRING_SETTING("searcher", struct cell_keys, searcher, NULL,
                   "What searches (`raingauge list searchers`), in an arm that searches by itself.",
                   .column = "searcher", .hashed = " "),
    PAIRS_SETTING("settings", struct cell_keys, searcher_settings, "Settings of the searcher.",
                  .column = "searcher_settings", .hashed = " {"),
    STRING_SETTING("model", struct cell_keys, model, "",
                   "Cost model that scores candidates (`raingauge list models`). Some searchers need one.",
                   .column = "model", .hashed = " "),
    PAIRS_SETTING("model_settings", struct cell_keys, model_settings, "Settings of the model.",
                  .column = "model_settings", .hashed = " {"),
    INT_SETTING("trials", struct cell_keys, trials, "0", 0, 100000000,
                "Trials of a network, at most. 0: 'trials_per_kernel' of each kernel.", .column = "trials",
                .hashed = " "),
    INT_SETTING("trials_per_kernel", struct cell_keys, trials_per_task, "0", 0, 1000000,
                "Trials of each kernel, at most.", .column = "trials_per_task", .hashed = " "),
    INT_SETTING("batch", struct cell_keys, batch, "64", 1, 4096, "Trials of a round, at most.", .column = "batch",
                .hashed = " "),
    ENUM_SETTING("scheduler", struct cell_keys, scheduler, "gradient", SCHEDULERS,
                 "How trials are shared among the kernels. An arm with 'k' is sequential unless it says otherwise.",
                 .column = "scheduler", .hashed = " "),
    INT_SETTING("explore_cell", struct cell_keys, explore_cell, "-1", 0, 0, "cell of the arm in 'explore'",
                .derived = true, .column = "explore_cell", .hashed = " "),
    INT_SETTING("k", struct cell_keys, k, "0", 0, 0, "one of 'k'", .derived = true, .column = "k", .hashed = " "),
    BOOL_SETTING("k_plus_one", struct cell_keys, k_plus_one, "false",
                 "Consider k + 1 records instead of k, as the authors' program did.", .column = "k_plus_one",
                 .hashed = " "),
    BOOL_SETTING("share", struct cell_keys, share, "false",
                 "Two k whose seeds of a kernel are the same record run one descent, which serves both.",
                 .column = "share", .hashed = " "),
    STRING_SETTING("conditions", struct cell_keys, conditions, "", "'layout', 'threads', 'target_settings', 'regime'",
                   .derived = true, .column = "conditions"), /* hashed where there are some (experiment.c) */
    {0},
};

/* Where the last value of this name begins in "name=value,...": NULL if there is none. name ends in '='. */
static const char *last_value(const char *settings, const char *name)
{
    const char *found = NULL;
    for (const char *at = settings; at && (at = strstr(at, name)); at += strlen(name))
        if (at == settings || at[-1] == ',')
            found = at + strlen(name);
    return found;
}

const char *keys_codegen(const char *target, const char *target_settings)
{
    const char *value = last_value(target_settings, "codegen=");
    return !str_eq(target, "cpu") ? NULL : value && str_starts(value, "fast") ? "fast" : "tvm";
}

bool keys_overlap(const char *target_settings)
{
    const char *value = last_value(target_settings, "overlap=");
    return value && str_starts(value, "yes");
}

static bool is_text(const struct setting *s)
{
    return s->type == SETTING_STRING || s->type == SETTING_PAIRS;
}

static bool is_stored(const struct setting *s)
{
    return s->column != NULL;
}

static void comma(struct text *sql, const struct setting *table, const struct setting *s)
{
    for (const struct setting *before = table; before < s; before++)
        if (is_stored(before)) {
            text_add(sql, ", ");
            return;
        }
}

/* Columns hold whole numbers or text: one of several choices is kept by its word. */
void keys_definitions(const struct setting *table, struct text *sql)
{
    for (const struct setting *s = table; s->name; s++) {
        if (!is_stored(s))
            continue;
        comma(sql, table, s);
        text_printf(sql, "%s %s NOT NULL", s->column, is_text(s) || s->type == SETTING_ENUM ? "TEXT" : "INTEGER");
    }
}

void keys_columns(const struct setting *table, struct text *sql)
{
    for (const struct setting *s = table; s->name; s++) {
        if (!is_stored(s))
            continue;
        comma(sql, table, s);
        text_add(sql, s->column);
    }
}

static void quoted(const char *v, struct text *sql)
{
    text_char(sql, '\'');
    for (; *v; v++) {
        if (*v == '\'')
            text_char(sql, '\'');
        text_char(sql, *v);
    }
    text_char(sql, '\'');
}

void keys_values(const struct setting *table, const void *keys, struct text *sql)
{
    for (const struct setting *s = table; s->name; s++) {
        if (!is_stored(s))
            continue;
        comma(sql, table, s);
        if (is_text(s))
            quoted(setting_str(s, keys), sql);
        else if (s->type == SETTING_ENUM)
            quoted(s->choices[setting_int(s, keys)], sql);
        else
            text_int(sql, setting_int(s, keys));
    }
}

const char *keys_select(struct arena *a, const struct setting *table, const char *rest)
{
    struct text sql = {0};
    text_add(&sql, "SELECT ");
    keys_columns(table, &sql);
    text_printf(&sql, ", %s", rest);
    return text_keep(&sql, a);
}

static bool read_choice(const struct setting *s, const char *word, void *keys, struct err *err)
{
    for (int i = 0; s->choices[i]; i++)
        if (str_eq(s->choices[i], word)) {
            setting_put_int(s, keys, i);
            return true;
        }
    return err_set(err, "the records hold an unknown %s '%s'", s->column, word);
}

bool keys_read(const struct setting *table, const struct query *q, struct arena *a, void *keys, int *columns,
               struct err *err)
{
    *columns = 0;
    for (const struct setting *s = table; s->name; s++) {
        if (!is_stored(s))
            continue;
        int at = (*columns)++;
        if (is_text(s))
            setting_put_str(s, keys, query_str(q, a, at));
        else if (s->type != SETTING_ENUM)
            setting_put_int(s, keys, query_int(q, at));
        else if (!read_choice(s, query_str(q, a, at), keys, err))
            return false;
    }
    return true;
}

const char *keys_difference(const struct setting *table, const void *x, const void *y)
{
    for (const struct setting *s = table; s->name; s++) {
        bool same = !is_stored(s) ? true
                    : is_text(s)  ? str_eq(setting_str(s, x), setting_str(s, y))
                                  : setting_int(s, x) == setting_int(s, y);
        if (!same)
            return s->column;
    }
    return NULL;
}

bool keys_seed_is_retimed(const char *searcher_settings)
{
    const char *value = last_value(searcher_settings, "seed=");
    return value && str_starts(value, "retimed");
}

bool keys_seed_is_kept(const struct cell_keys *descent, const struct cell_keys *explorer)
{
    bool alike = !explorer || str_eq(descent->conditions, explorer->conditions);
    return alike && !keys_seed_is_retimed(descent->searcher_settings);
}

uint64_t keys_program(uint64_t state_hash, const char *conditions)
{
    const char *regime = strstr(conditions, "regime ");
    size_t n = regime ? (size_t)(regime - conditions) : strlen(conditions);
    while (n && regime && strchr(", ", conditions[n - 1]))
        n--; /* what parts the regime from the others is not theirs */
    return n ? hash_mix(state_hash, hash_bytes(conditions, n, 0)) : state_hash;
}
