/* SPDX-License-Identifier: Apache-2.0 */
/* results_page: what the committed runs found, of their report.json and nothing else. What an invalid run shows is left
 * out. */
#pragma once
#include "harness/base/err.h"
#include "harness/base/text.h"

/* Of every FOLDER/.../report.json, four folders deep at most. */
MUST_CHECK bool results_page(const char *folder, struct text *out, struct err *err);
