/* SPDX-License-Identifier: Apache-2.0 */
/* cli: what the verbs of the command line share. A verb is one file of verbs/, which exports one const struct verb and
 * has one row in verbs.c. Its tables (options, exit codes, JSON members) drive parsing, help, the man page, completion
 * and the reference of JSON. Data goes to stdout, progress and messages to stderr. */
#pragma once
#include "harness/base/arena.h"
#include "harness/base/err.h"
#include "harness/base/json.h"
#include "harness/base/text.h"
#include "harness/cli/option.h"
#include "harness/plug/registry.h"

/* What an exit code means for this verb, beside what verbs.h says of all. */
struct verb_exit {
    enum exit_code code; /* not EXIT_FINE */
    const char *when;    /* NULL ends the table */
};

/* One form of a verb's JSON; a verb may have several, by its arguments. */
struct json_form {
    const char *command;               /* "raingauge list networks"; NULL ends the table */
    const struct json_member *members; /* NULL: a reference of their own has them */
    bool list;                         /* an array of such objects */
};
#define JSON_FORM(command, members) {command, members, false}
#define JSON_FORM_LIST(command, members) {command, members, true}

#define VERB_OPTIONS(type) .options = options, .options_size = sizeof(type)

struct cli;
struct verb {
    const char *name;
    const char *arguments;         /* what follows it, "" nothing: "EXPERIMENT", "[PAPER]" */
    const char *summary;           /* half a sentence */
    const char *more;              /* sentences for its help and the man page, or NULL */
    const char *asks;              /* what it says without an argument that it needs; NULL: it needs none */
    int needed;                    /* how many arguments it needs, with asks  */
    int words;                     /* how many arguments it takes at most */
    const struct setting *options; /* see option.h; NULL: it has none */
    size_t options_size;
    bool experiments;                            /* it cannot do without the folder of experiments */
    const struct verb_exit *exits;               /* or NULL */
    const struct json_form *json;                /* NULL: it prints no JSON, and --json is refused */
    bool (*run)(struct cli *c, struct err *err); /* false: err is printed and its code is the exit status */
};

enum { CLI_WORDS = 256 };
struct cli {
    struct arena *arena;
    const struct registry *registry;
    const char *folder, *plots; /* of experiments, of gnuplot's scripts; "experiments", "plots" when not found */
    /* What the command line says. */
    const struct verb *verb;
    const void *options; /* of the verb, of its own type */
    const char *words[CLI_WORDS];
    int nwords;
    bool json, quiet, verbose, no_color;
    const char *experiments; /* --experiments, or NULL */
    struct setting_strings plugins;
};

void cli_print(struct text *t);                  /* to stdout; t is empty then */
bool cli_print_lines(void *ctx, struct text *t); /* cli_print, for writers in parts; false: nobody can take more */
void cli_print_json(cJSON *value);               /* one line on stdout; takes value over */
/* Adds " --option value" for a command that is shown, quoted as a shell takes it. option "": the value alone. */
void cli_add_word(struct text *t, const char *option, const char *value);
/* False: there is no folder of experiments; err says where it was looked for and how to name it. */
MUST_CHECK bool cli_need_experiments(const struct cli *c, struct err *err);
