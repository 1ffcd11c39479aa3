/* SPDX-License-Identifier: Apache-2.0 */
/* remote_option: --on, the machine that measures. */
#pragma once
#include "harness/cli/cli.h"
#include "harness/measure/remote/remote_host.h"

#define ON_ROW(S, member, ...) STRING_SETTING("--on", S, member, "", __VA_ARGS__, .word = "ssh:HOST[,NAME=VALUE...]")
/* Texts of *out are in c->arena. */
MUST_CHECK bool remote_option(struct cli *c, const char *word, struct remote_host *out, struct err *err);
/* Runs `raingauge WORDS` on that machine; what it prints is printed here. False with its reason and its exit code. */
MUST_CHECK bool remote_command(struct cli *c, const char *word, const char *words, struct err *err);
/* What the other end must be, too (harness/measure/remote/identity.h). */
const char *remote_identity(struct cli *c);
