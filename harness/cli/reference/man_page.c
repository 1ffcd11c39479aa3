/* SPDX-License-Identifier: Apache-2.0 */
/* man_page: sections in the order of man-pages(7). */
#include "harness/cli/reference/man_page.h"

#include "harness/cli/verbs.h"

#include <ctype.h>

static const struct {
    const char *name, *help;
} variables[] = {
    {"RAINGAUGE_DATADIR", "Folder that holds experiments/ and plots/, looked at after the current folder."},
    {"NO_COLOR", "When set, messages have no colours."},
    {"XDG_STATE_HOME", "The history of nights is in its folder raingauge; ~/.local/state by default."},
    {"TMPDIR", "Where bench makes its folders; /tmp by default."},
    {"RAINGAUGE_CONFINE", "With the value off, runners may make any system call."},
    {"RAINGAUGE_SHARED", "Folder of the authors' released data, for tests and bench; ../shared by default."}};
static const struct {
    const char *path, *help;
} files[] = {{"experiments/, plots/",
              "What can be run, and how it is drawn. They are looked for in the current folder, in "
              "$RAINGAUGE_DATADIR, and in ../share/raingauge beside the folder of the executable."},
             {"results/EXPERIMENT/TIER/records.db", "All that a run measured, in SQLite."},
             {"~/.local/state/raingauge/nightly.db", "The history of nights."}};

/* Text in roff: hyphens and backslashes escaped, a leading dot or quote hidden. */
static void roff(struct text *t, const char *s)
{
    if (*s == '.' || *s == '\'')
        text_add(t, "\\&");
    for (; *s; s++) {
        if (*s == '\\')
            text_add(t, "\\e");
        else if (*s == '-')
            text_add(t, "\\-");
        else if (*s == '~')
            text_add(t, "\\(ti");
        else if (*s == '^')
            text_add(t, "\\(ha");
        else if (*s == '`' || *s == '\'')
            text_add(t, "\\(aq");
        else
            text_char(t, *s);
    }
}

/* A macro, then text in the same line: ".SH NAME". */
static void line(struct text *t, const char *macro, const char *s)
{
    text_printf(t, "%s ", macro);
    roff(t, s);
    text_char(t, '\n');
}

static void sentence(struct text *t, const char *s)
{
    size_t at = t->len;
    roff(t, s);
    if (t->len > at && islower((unsigned char)t->s[at]))
        t->s[at] = (char)toupper((unsigned char)t->s[at]);
    text_add(t, s[0] && t->s[t->len - 1] == '.' ? "\n" : ".\n");
}

static void term(struct text *t, const char *name, const char *value, const char *help)
{
    text_add(t, ".TP\n\\fB");
    roff(t, name);
    text_add(t, "\\fR");
    if (*value) {
        text_add(t, " \\fI");
        roff(t, value);
        text_add(t, "\\fR");
    }
    text_char(t, '\n');
    sentence(t, help);
}

static void options(struct text *t, const struct setting *o)
{
    for (; o && o->name; o++) {
        struct text value = {0}, help = {0};
        option_value(o, &value);
        option_help(o, &help);
        term(t, o->name, text_str(&value), text_str(&help));
        text_free(&value);
        text_free(&help);
    }
}

static void verb(struct text *t, const struct verb *v)
{
    text_add(t, ".SS \"");
    roff(t, v->name);
    text_char(t, '"');
    text_add(t, "\n.B raingauge ");
    roff(t, v->name);
    text_add(t, "\n.RI ");
    text_char(t, '"');
    roff(t, v->arguments);
    text_add(t, *v->arguments ? " [OPTION]...\"\n.PP\n" : "[OPTION]...\"\n.PP\n");
    sentence(t, v->summary);
    if (v->more)
        sentence(t, v->more);
    options(t, v->options);
    for (const struct verb_exit *x = v->exits; x && x->when; x++)
        text_printf(t, x == v->exits ? ".TP\nExit status\n%d: %s" : "; %d: %s", (int)x->code, x->when);
    if (v->exits)
        text_add(t, ".\n");
}

void man_page(struct text *t)
{
    text_add(t, ".\\\" Written by `raingauge doc man`; do not edit it.\n"
                ".TH RAINGAUGE 1 \"\" \"raingauge " RAINGAUGE_VERSION "\" \"User commands\"\n"
                ".SH NAME\nraingauge \\- rerun the experiments of papers on tuning tensor programs\n"
                ".SH SYNOPSIS\n.B raingauge\n.I VERB\n.RI [ ARGUMENT ]...\n.RI [ OPTION ]...\n"
                ".SH DESCRIPTION\n");
    sentence(t, "It reruns the experiments of papers on tuning tensor programs and says, claim by claim, whether "
                "they hold on this machine");
    sentence(t, "Options may stand anywhere, also before the verb");
    line(t, ".SH", "VERBS");
    for (int i = 0; verbs[i]; i++)
        verb(t, verbs[i]);
    line(t, ".SH", "OPTIONS OF EVERY VERB");
    options(t, common_options);
    term(t, "-h, --help", "", "the options of a verb, or the list of verbs");
    term(t, "-V, --version", "", "version, revision and libraries");
    line(t, ".SH", "EXIT STATUS");
    for (const struct exit_meaning *m = exit_meanings; m->meaning; m++) {
        text_printf(t, ".TP\n%d\n", (int)m->code);
        sentence(t, m->meaning);
    }
    line(t, ".SH", "ENVIRONMENT");
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++)
        term(t, variables[i].name, "", variables[i].help);
    line(t, ".SH", "FILES");
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        term(t, files[i].path, "", files[i].help);
}
