/* SPDX-License-Identifier: Apache-2.0 */
/* command_line: the words of a command to a verb, its options and arguments. Options may stand anywhere, also before
 * the verb: "--name value" or "--name=value". */
#pragma once
#include "harness/cli/cli.h"

enum wish { WISH_RUN, WISH_HELP, WISH_VERSION, WISH_NOTHING };
/* Fills what the command line says in c. HELP: c->verb is the verb it is wanted of, or NULL; options are not looked at.
 * NOTHING: there is no verb. False: an unknown verb or option (err has the nearest name), a value that lacks, or an
 * argument too many. */
MUST_CHECK bool command_line_read(struct cli *c, int argc, const char *const *argv, enum wish *wish, struct err *err);
