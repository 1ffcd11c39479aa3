/* SPDX-License-Identifier: Apache-2.0 */
/* answer: what a SELECT on a results folder gives, on stdout, for the verbs query and export. */
#pragma once
#include "harness/cli/cli.h"

enum answer_format { ANSWER_TABLE, ANSWER_CSV, ANSWER_JSON }; /* JSON: a list of objects */
/* CSV (RFC 4180) and JSON go out as the rows come. */
MUST_CHECK bool answer_print(struct cli *c, const char *dir, const char *sql, enum answer_format format,
                             struct err *err);
