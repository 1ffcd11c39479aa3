/* SPDX-License-Identifier: Apache-2.0 */
/* report_json: report_json() of report.h lives here. */
#pragma once
#include "harness/report/render/report.h"

void report_json_table3(const struct report *r, struct text *t); /* members of kind table3 */
