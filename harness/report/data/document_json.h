/* SPDX-License-Identifier: Apache-2.0 */
/* document_json: a document as JSON and back: members of the head, "summary", and "tables": {id: [rows keyed by column
 * names]}. A ratio is an object; what is missing is null. */
#pragma once
#include "harness/report/data/document.h"

void document_json_print(const struct document *d, struct text *out); /* one line, with its end */
/* A report.json; name is for messages. All in a. */
MUST_CHECK bool document_json_read(struct arena *a, const char *text, size_t n, const char *name, struct document *out,
                                   struct err *err);
