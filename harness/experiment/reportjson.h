/* SPDX-License-Identifier: Apache-2.0 */
/* reportjson: report_json() of report.h lives here. */
#pragma once
#include "harness/experiment/report.h"

void reportjson_table3(const struct report *r, struct text *t); /* members of kind table3 */
