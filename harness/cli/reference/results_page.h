/* SPDX-License-Identifier: Apache-2.0 */
/* results_page: what the committed runs found, of their report.json and nothing else. Nothing is said of
 * what an invalid run shows, nor of the search time of one whose kernels alone are valid. */
#pragma once
#include "harness/base/err.h"
#include "harness/base/text.h"

/* text in lines of at most 98 columns, the first after `used` columns, the others of an item ("- ", or what comes after
 * `used` columns) indented by two. */
void results_page_fill(struct text *out, const char *text, int used);
/* Of every FOLDER/.../report.json, four folders deep at most. */
MUST_CHECK bool results_page(const char *folder, struct text *out, struct err *err);
