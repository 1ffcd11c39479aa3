/* SPDX-License-Identifier: Apache-2.0 */
/* help: plain text of at most 100 columns. */
#include "harness/cli/reference/help.h"

#include "harness/cli/verbs.h"

#include <string.h>

enum { COLUMNS = 100, INDENT = 32 };

/* Adds s, in lines that begin at column indent, and a newline. It is broken at blanks and after "|"; the first line is
 * at column `at` already. */
static void wrap(struct text *t, const char *s, int at, int indent)
{
    bool blank = false;
    while (*s) {
        int n = (int)strcspn(s, " |");
        n += s[n] == '|';
        if (at + blank + n > COLUMNS && at > indent) {
            text_printf(t, "\n%*s", indent, "");
            at = indent;
            blank = false;
        }
        text_printf(t, "%s%.*s", blank ? " " : "", n, s);
        at += blank + n;
        s += n;
        blank = *s == ' ';
        s += blank;
    }
    text_char(t, '\n');
}

static void option_line(const struct setting *o, struct text *t)
{
    struct text help = {0};
    size_t begin = t->len;
    text_printf(t, "  %s%s", o->name, o->type == SETTING_BOOL ? "" : " ");
    option_value(o, t);
    int used = (int)(t->len - begin);
    if (used > INDENT - 2)
        text_printf(t, "\n%*s", INDENT, "");
    else
        text_printf(t, "%*s", INDENT - used, "");
    option_help(o, &help);
    wrap(t, text_str(&help), INDENT, INDENT);
    text_free(&help);
}

static void group(const struct verb *v, enum option_group g, struct text *t)
{
    const struct setting *tables[] = {v->options, v->json ? common_options : common_options + 1};
    bool any = false;
    for (int i = 0; i < 2; i++)
        for (const struct setting *o = tables[i]; o && o->name; o++) {
            if (o->group != (int)g)
                continue;
            if (!any)
                text_printf(t, "\n%s:\n", group_titles[g]);
            any = true;
            option_line(o, t);
        }
}

/* The verb's own meaning of a code, else that of all verbs. */
static void exits(const struct verb *v, struct text *t)
{
    text_add(t, "\nExit status:\n");
    for (const struct exit_meaning *m = exit_meanings; m->meaning; m++) {
        const char *when = m->code == EXIT_FINE || m->code == EXIT_USAGE ? m->meaning : NULL;
        for (const struct verb_exit *x = v ? v->exits : NULL; x && x->when; x++)
            if (x->code == m->code)
                when = x->when;
        if (!v)
            when = m->meaning;
        if (!when)
            continue;
        text_printf(t, "  %3d  ", (int)m->code);
        wrap(t, when, 7, 7);
    }
}

void help_verb(const struct verb *v, struct text *t)
{
    struct text usage = {0};
    text_printf(&usage, "usage: raingauge %s%s%s [OPTION]...", v->name, *v->arguments ? " " : "", v->arguments);
    wrap(t, text_str(&usage), 0, 0);
    text_char(t, '\n');
    text_free(&usage);
    wrap(t, v->summary, 0, 0);
    if (v->more)
        wrap(t, v->more, 0, 0);
    for (int g = 0; g < GROUP_COUNT; g++)
        group(v, (enum option_group)g, t);
    exits(v, t);
}

void help_all(struct text *t)
{
    text_add(t, "usage: raingauge VERB [ARGUMENT]... [OPTION]...\n\n");
    for (int i = 0; verbs[i]; i++) {
        const struct verb *v = verbs[i];
        text_printf(t, "  %-10s", v->name);
        if (*v->arguments) {
            text_char(t, ' ');
            wrap(t, v->arguments, 13, 13);
            text_printf(t, "%13s", "");
        } else {
            text_char(t, ' ');
        }
        wrap(t, v->summary, 13, 13);
    }
    text_add(t, "\n`raingauge help VERB` tells a verb's options; `raingauge --version` the version.\n");
    exits(NULL, t);
}
