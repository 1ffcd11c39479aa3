/* SPDX-License-Identifier: Apache-2.0 */
/* cli: option parsing shared by the verbs. "--name value" and "--name=value". */
#include "harness/cli/cli.h"

#include "harness/base/log.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_OPTIONS = 40 };

static bool unknown_option(const struct option *all, int n, const char *name, struct err *err)
{
    const char *names[MOST_OPTIONS];
    for (int i = 0; i < n; i++)
        names[i] = all[i].name;
    const char *near = str_nearest(name, names, n);
    return near ? err_set(err, "unknown option '%s': did you mean '%s'?", name, near)
                : err_set(err, "unknown option '%s'", name);
}

static bool take_value(const struct option *o, const char *value, struct err *err)
{
    if (o->value) {
        *o->value = value;
        return true;
    }
    if (o->many->n == 64)
        return err_set(err, "option '%s' is given more than 64 times", o->name);
    o->many->at[o->many->n++] = value;
    return true;
}

static bool one_option(struct cli *c, const struct option *all, int n, int *i, struct err *err)
{
    const char *word = c->argv[*i], *eq = strchr(word, '=');
    char *name = eq ? arena_strn(c->arena, word, (size_t)(eq - word)) : arena_str(c->arena, word);
    for (int k = 0; k < n; k++) {
        if (strcmp(all[k].name, name) != 0)
            continue;
        if (all[k].flag) {
            *all[k].flag = true;
            return !eq || err_set(err, "option '%s' takes no value", name);
        }
        if (eq)
            return take_value(&all[k], eq + 1, err);
        if (*i + 1 == c->argc)
            return err_set(err, "option '%s' needs a value: %s", name, all[k].argument);
        return take_value(&all[k], c->argv[++*i], err);
    }
    return unknown_option(all, n, name, err);
}

static void print_options(const struct cli *c, const struct option *all, int n)
{
    printf("usage: raingauge %s%s%s [OPTION]...\n%s\n\n", c->verb->name, *c->verb->arguments ? " " : "",
           c->verb->arguments, c->verb->summary);
    for (int i = 0; i < n; i++) {
        const char *what = all[i].argument ? all[i].argument : "";
        int used = printf("  %s%s%s", all[i].name, *what ? " " : "", what);
        printf("%*s%s\n", used < 30 ? 32 - used : 2, "", all[i].help);
    }
}

bool cli_options(struct cli *c, const struct option *table, const char **words, int most, int *nwords, struct err *err)
{
    bool quiet = false, verbose = false, no_color = false;
    const struct option common[] = {{"--json", NULL, "JSON on stdout", &c->json, NULL, NULL},
                                    {"--quiet", NULL, "no progress", &quiet, NULL, NULL},
                                    {"--verbose", NULL, "more messages", &verbose, NULL, NULL},
                                    {"--no-color", NULL, "no colours", &no_color, NULL, NULL},
                                    {"--experiments", "DIR", "folder of experiments", NULL, &c->folder, NULL}};
    struct option all[MOST_OPTIONS];
    int n = 0;
    for (size_t i = c->verb->json ? 0 : 1; i < sizeof common / sizeof *common; i++) /* --json is the first */
        all[n++] = common[i];
    for (; table && table->name; table++) {
        if (n == MOST_OPTIONS)
            bug("more than %d options", MOST_OPTIONS);
        all[n++] = *table;
    }
    *nwords = 0;
    if (c->help) {
        print_options(c, all, n);
        return false;
    }
    for (int i = 0; i < c->argc; i++) {
        if (c->argv[i][0] == '-' && c->argv[i][1]) {
            if (!one_option(c, all, n, &i, err))
                return false;
        } else if (*nwords == most) {
            return err_set(err, "unexpected argument '%s'", c->argv[i]);
        } else {
            words[(*nwords)++] = c->argv[i];
        }
    }
    log_level_set(quiet ? LOG_QUIET : verbose ? LOG_VERBOSE : LOG_NORMAL);
    return true;
}

void cli_print(const struct text *t)
{
    fwrite(text_str(t), 1, t->len, stdout);
    fflush(stdout); /* before what may be said on stderr */
}

bool cli_duration(const char *option, const char *word, double *out, struct err *err)
{
    char *end;
    *out = strtod(word, &end);
    static const char UNITS[] = "smhd";
    static const double SECONDS[] = {1, 60, 3600, 86400};
    const char *unit = *end && !end[1] ? strchr(UNITS, *end) : NULL;
    if (end == word || (*end && !unit) || !isfinite(*out) || *out <= 0)
        return err_set(err, "%s '%s': expected a time like 90m, 2h or 1d", option, word);
    *out *= unit ? SECONDS[unit - UNITS] : 1;
    return true;
}
