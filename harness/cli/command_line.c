/* SPDX-License-Identifier: Apache-2.0 */
/* command_line: two passes. The first finds the verb; an option before it takes a value if it does for any verb. The
 * second reads the options by the tables of that verb. */
#include "harness/cli/command_line.h"

#include "harness/cli/verbs.h"

#include <string.h>

static bool is_option(const char *word)
{
    return word[0] == '-' && word[1];
}

static const struct setting *find_anywhere(const char *name)
{
    const struct setting *o = option_find(common_options, name);
    for (int i = 0; !o && verbs[i]; i++)
        o = option_find(verbs[i]->options, name);
    return o;
}

/* Position of the verb, 0: none. Sees --help and --version, but not as the value of an option. */
static int find_verb(int argc, const char *const *argv, enum wish *wish)
{
    int at = 0;
    for (int i = 1; i < argc; i++) {
        const struct setting *o = is_option(argv[i]) ? find_anywhere(argv[i]) : NULL;
        if (o && o->type != SETTING_BOOL)
            i++;
        else if (str_eq(argv[i], "--help") || str_eq(argv[i], "-h"))
            *wish = WISH_HELP;
        else if (*wish != WISH_HELP && (str_eq(argv[i], "--version") || str_eq(argv[i], "-V")))
            *wish = WISH_VERSION;
        else if (!at && !is_option(argv[i]))
            at = i;
    }
    return at;
}

enum { NAMES_MOST = 128 };

static int add_names(const struct setting *table, const char **names, int n)
{
    for (; table && table->name && n < NAMES_MOST; table++)
        names[n++] = table->name;
    return n;
}

/* v NULL: of any verb. */
static bool unknown_option(const struct verb *v, const char *name, struct err *err)
{
    const char *names[NAMES_MOST] = {"--help", "--version"};
    int n = add_names(v && !v->json ? common_options + 1 : common_options, names, 2);
    for (int i = 0; verbs[i]; i++)
        if (!v || v == verbs[i])
            n = add_names(verbs[i]->options, names, n);
    const char *near = str_nearest(name, names, n);
    if (near)
        return err_set(err, "unknown option '%s': did you mean '%s'?", name, near);
    return err_set(err, "unknown option '%s' (`raingauge%s%s --help` lists them)", name, v ? " " : "",
                   v ? v->name : "");
}

/* The first word before position end is no verb: perhaps it is the value of a mistyped option. */
static bool known_options(struct cli *c, int end, const char *const *argv, struct err *err)
{
    for (int i = 1; i < end; i++) {
        const char *name = arena_strn(c->arena, argv[i], strcspn(argv[i], "="));
        if (is_option(name) && !find_anywhere(name))
            return unknown_option(NULL, name, err);
    }
    return true;
}

/* Reads argv[*i] and, where it stands apart, its value. */
static bool read_option(struct cli *c, void *options, int argc, const char *const *argv, int *i, struct err *err)
{
    const char *word = argv[*i], *eq = strchr(word, '='), *value = eq ? eq + 1 : "";
    const char *name = eq ? arena_strn(c->arena, word, (size_t)(eq - word)) : word;
    const struct setting *common = option_find(common_options, name), *o = option_find(c->verb->options, name);
    void *in = o ? options : c;
    if (!o && (!common || (common == common_options && !c->verb->json)))
        return unknown_option(c->verb, name, err);
    o = o ? o : common;
    if (o->type == SETTING_BOOL) {
        setting_put_int(o, in, 1);
        return !eq || err_set(err, "option '%s' takes no value", name);
    }
    if (!eq && *i + 1 < argc && !find_anywhere(argv[*i + 1]))
        value = argv[++*i];
    if (*value)
        return setting_set(o, in, c->arena, name, value, err);
    struct text t = {0};
    option_value(o, &t);
    err_set(err, "option '%s' needs a value: %s", name, text_str(&t));
    text_free(&t);
    return false;
}

/* Is word one of "smoke|short|full"? */
static bool has_choice(const char *choices, const char *word)
{
    size_t n = strlen(word);
    for (const char *at = choices; at; at = strchr(at, '|') ? strchr(at, '|') + 1 : NULL)
        if (strncmp(at, word, n) == 0 && (at[n] == '|' || !at[n]))
            return true;
    return false;
}

/* One argument too many: a tier or a KEY=VALUE lacks its option, else the usage is shown. */
static bool unexpected(const struct verb *v, const char *word, struct err *err)
{
    for (const struct setting *o = v->options; o && o->name; o++)
        if ((str_eq(o->name, "--set") && strchr(word, '=')) || (str_eq(o->name, "--tier") && has_choice(o->word, word)))
            return err_set(err, "unexpected argument '%s': did you mean '%s %s'?", word, o->name, word);
    return err_set(err, "unexpected argument '%s': the usage is raingauge %s%s%s", word, v->name,
                   *v->arguments ? " " : "", v->arguments);
}

static bool read_words(struct cli *c, int argc, const char *const *argv, int verb, struct err *err)
{
    void *options = arena_alloc(c->arena, c->verb->options_size + 1);
    setting_defaults(c->verb->options, options);
    c->options = options;
    for (int i = 1; i < argc; i++) {
        if (i == verb)
            continue;
        if (is_option(argv[i])) {
            if (!read_option(c, options, argc, argv, &i, err))
                return false;
        } else if (c->nwords == c->verb->words) {
            return unexpected(c->verb, argv[i], err);
        } else {
            c->words[c->nwords++] = argv[i];
        }
    }
    return !c->verb->asks || c->nwords >= c->verb->needed || err_set(err, "%s", c->verb->asks);
}

/* The arguments without number at. */
static const char *const *leave_out(struct arena *a, int *argc, const char *const *argv, int at)
{
    const char **rest = ARENA_ARRAY(a, const char *, *argc + 1);
    int n = 0;
    for (int i = 0; i < *argc; i++)
        if (i != at)
            rest[n++] = argv[i];
    *argc = n;
    return rest;
}

bool command_line_read(struct cli *c, int argc, const char *const *argv, enum wish *wish, struct err *err)
{
    *wish = WISH_RUN;
    int at = find_verb(argc, argv, wish);
    /* The report of cost models has no experiment: it is a verb of its own. */
    if (at && at + 1 < argc && str_eq(argv[at], "report") && str_eq(argv[at + 1], "ranking"))
        argv = leave_out(c->arena, &argc, argv, at);
    if (*wish == WISH_VERSION)
        return true;
    if (at && !(c->verb = verb_find(argv[at], err)))
        return known_options(c, at, argv, err) && false;
    if (*wish == WISH_HELP)
        return true;
    if (c->verb)
        return read_words(c, argc, argv, at, err);
    *wish = WISH_NOTHING;
    return known_options(c, argc, argv, err);
}
