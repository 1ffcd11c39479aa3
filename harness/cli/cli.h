/* SPDX-License-Identifier: Apache-2.0 */
/* cli: what every verb of the command line shares: the registry, an arena, parsed options, output rules. Data goes to
 * stdout, progress and messages to stderr. A verb is one verb_*.c with one function and one row in main.c's table. */
#pragma once
#include "harness/base/arena.h"
#include "harness/base/err.h"
#include "harness/base/text.h"
#include "harness/plug/registry.h"

struct verb;
struct cli {
    const char *const *argv; /* what follows the verb */
    int argc;
    struct arena *arena;
    const struct registry *registry;
    bool json;
    const char *folder; /* of experiments */
    const struct verb *verb;
    bool help; /* --help: the verb's call of cli_options prints its options, and returns false without an error */
};

/* One option: exactly one of flag, value, many is set. */
struct option {
    const char *name, *argument, *help; /* "--tier", "T" or NULL for a flag */
    bool *flag;
    const char **value;
    struct option_list *many;
};
struct option_list {
    const char *at[64];
    int n;
};
/* Sorts argv into options (table ended by {0}) and at most most words; --experiments, --quiet, --verbose and
 * --no-color are taken everywhere, --json where there is something to print. Unknown options get a hint. With c->help
 * the options are printed instead. */
MUST_CHECK bool cli_options(struct cli *c, const struct option *table, const char **words, int most, int *nwords,
                            struct err *err);
void cli_print(const struct text *t); /* to stdout */
/* "90", "90s", "45m", "2h", "1d" to seconds; option is for the message. */
MUST_CHECK bool cli_duration(const char *option, const char *word, double *out, struct err *err);

struct verb {
    const char *name, *arguments, *summary;
    bool (*run)(struct cli *c, struct err *err); /* false: err is printed and its code is the exit status */
    bool json;                                   /* it has JSON to print; else --json is refused */
};
bool verb_doctor(struct cli *c, struct err *err);
bool verb_list(struct cli *c, struct err *err);
bool verb_show(struct cli *c, struct err *err);
bool verb_plan(struct cli *c, struct err *err);
bool verb_run(struct cli *c, struct err *err);
bool verb_status(struct cli *c, struct err *err);
bool verb_report(struct cli *c, struct err *err);
bool verb_claims(struct cli *c, struct err *err);
bool verb_replay(struct cli *c, struct err *err);
bool verb_reanalyse(struct cli *c, struct err *err);
bool verb_nightly(struct cli *c, struct err *err);
bool verb_compare(struct cli *c, struct err *err);
bool verb_bench(struct cli *c, struct err *err);
