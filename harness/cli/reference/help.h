/* SPDX-License-Identifier: Apache-2.0 */
/* help: what --help prints, from the tables of the verbs. */
#pragma once
#include "harness/cli/cli.h"

void help_all(struct text *t);
void help_verb(const struct verb *v, struct text *t);
