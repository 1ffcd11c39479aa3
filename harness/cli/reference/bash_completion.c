/* SPDX-License-Identifier: Apache-2.0 */
/* bash_completion: two functions of the shell tell what may follow a word; the rest is the same for all verbs. */
#include "harness/cli/reference/bash_completion.h"

#include "harness/cli/verbs.h"

#include <ctype.h>
#include <string.h>

/* What completes an argument or value that is called so. */
static const struct {
    const char *name, *by; /* a word of the shell */
} sources[] = {{"EXPERIMENT", "$(_raingauge_list experiments)"},
               {"PAPER", "$(_raingauge_list papers)"},
               {"MACHINE", "$(_raingauge_list machines)"},
               {"NETWORK:INDEX", "$(_raingauge_list networks :0)"},
               {"VERB", "$(_raingauge_verbs)"},
               {"DIR", "FILES"},
               {"FILE", "FILES"},
               {"RESULTS", "FILES"},
               {"OLD", "FILES"}};

/* Adds what completes "networks|machines", "EXPERIMENT", "[PAPER]": choices in small letters stand for themselves. */
static void add_source(const char *arguments, struct text *t)
{
    static const char BETWEEN[] = " |[]";
    for (const char *s = arguments + strspn(arguments, BETWEEN); *s;) {
        size_t n = strcspn(s, BETWEEN);
        const char *by = NULL;
        for (size_t i = 0; i < sizeof sources / sizeof *sources; i++)
            if (strlen(sources[i].name) == n && strncmp(sources[i].name, s, n) == 0)
                by = sources[i].by;
        if (by)
            text_printf(t, "%s%s", t->len ? " " : "", by);
        else if (islower((unsigned char)*s))
            text_printf(t, "%s%.*s", t->len ? " " : "", (int)n, s);
        s += n + strspn(s + n, BETWEEN);
    }
}

static void add_case(const char *label, const char *arguments, struct text *t)
{
    struct text source = {0};
    add_source(arguments, &source);
    if (source.len)
        text_printf(t, "    %s) echo \"%s\" ;;\n", label, text_str(&source));
    text_free(&source);
}

static void add_values(const char *verb, const struct setting *o, struct text *t)
{
    for (; o && o->name; o++) {
        struct text label = {0}, value = {0};
        text_printf(&label, "%s:%s", verb, o->name);
        option_value(o, &value);
        add_case(text_str(&label), text_str(&value), t);
        text_free(&label);
        text_free(&value);
    }
}

static void add_options(const struct verb *v, struct text *t)
{
    text_printf(t, "    %s) echo \"", v->name);
    for (const struct setting *o = v->options; o && o->name; o++)
        text_printf(t, "%s ", o->name);
    for (const struct setting *o = v->json ? common_options : common_options + 1; o->name; o++)
        text_printf(t, "%s ", o->name);
    text_add(t, "--help\" ;;\n");
}

/* Options whose next word is a value, so that it is not taken for the verb. */
static void add_valued(struct text *t)
{
    struct text seen = {0};
    for (int i = -1; i < 0 || verbs[i]; i++)
        for (const struct setting *o = i < 0 ? common_options : verbs[i]->options; o && o->name; o++) {
            struct text word = {0};
            text_printf(&word, "|%s|", o->name);
            if (o->type != SETTING_BOOL && !strstr(text_str(&seen), text_str(&word))) {
                text_printf(t, "%s%s", seen.len ? " | " : "", o->name);
                text_add(&seen, text_str(&word));
            }
            text_free(&word);
        }
    text_free(&seen);
}

static const char LIST[] =
    "_raingauge_list() { # kind [ending]: names, of the binary that is being completed\n"
    "    \"${COMP_WORDS[0]}\" list \"$1\" --names 2>/dev/null | while read -r name; do echo \"$name${2-}\"; done\n"
    "}\n";
static const char MAIN[] =
    "_raingauge() {\n"
    "    local cur=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} verb= words i\n"
    "    for ((i = 1; i < COMP_CWORD; i++)); do\n"
    "        if _raingauge_valued \"${COMP_WORDS[i]}\"; then\n"
    "            i=$((i + 1))\n"
    "        elif [[ ${COMP_WORDS[i]} != -* ]]; then\n"
    "            verb=${COMP_WORDS[i]}\n"
    "            break\n"
    "        fi\n"
    "    done\n"
    "    if _raingauge_valued \"$before\"; then\n"
    "        words=$(_raingauge_values \"$verb:$before\")\n"
    "    elif [[ $cur == -* ]]; then\n"
    "        words=$(_raingauge_options \"$verb\")\n"
    "    elif [[ -z $verb ]]; then\n"
    "        words=$(_raingauge_verbs)\n"
    "    else\n"
    "        words=$(_raingauge_values \"$verb\")\n"
    "    fi\n"
    "    mapfile -t COMPREPLY < <(compgen -W \"${words//FILES/}\" -- \"$cur\")\n"
    "    if [[ ${#COMPREPLY[@]} = 0 && \" $words \" == *\" FILES \"* ]]; then\n"
    "        compopt -o filenames 2>/dev/null\n"
    "        mapfile -t COMPREPLY < <(compgen -f -- \"$cur\")\n"
    "    fi\n"
    "}\n"
    "complete -F _raingauge raingauge\n";

void bash_completion(struct text *t)
{
    text_add(t, "# SPDX-License-Identifier: Apache-2.0\n# Completion of raingauge(1) for bash. Written by `raingauge "
                "doc completion`; do not edit it.\n");
    text_add(t, LIST);
    text_add(t, "_raingauge_verbs() {\n    echo \"");
    for (int i = 0; verbs[i]; i++)
        text_printf(t, "%s%s", i ? " " : "", verbs[i]->name);
    text_add(t, "\"\n}\n_raingauge_valued() { # option: does a value follow it?\n    case $1 in\n    ");
    add_valued(t);
    text_add(t, ") return 0 ;;\n    *) return 1 ;;\n    esac\n}\n"
                "_raingauge_options() { # verb\n    case $1 in\n");
    for (int i = 0; verbs[i]; i++)
        add_options(verbs[i], t);
    text_add(t, "    *) echo \"--help --version --experiments\" ;;\n    esac\n}\n"
                "_raingauge_values() { # verb, or verb:option: what may follow\n    case $1 in\n");
    for (int i = 0; verbs[i]; i++) {
        add_case(verbs[i]->name, verbs[i]->arguments, t);
        add_values(verbs[i]->name, verbs[i]->options, t);
    }
    add_values("*", common_options, t);
    text_add(t, "    esac\n}\n");
    text_add(t, MAIN);
}
