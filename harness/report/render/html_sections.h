/* SPDX-License-Identifier: Apache-2.0 */
/* html_sections: the sections of the HTML report after its table and figures: clocks, controls, verdicts, where the
 * time went, failures, environment. */
#pragma once
#include "harness/base/text.h"
#include "harness/report/render/report.h"

MUST_CHECK bool html_sections_html(const struct report *r, const char *folder, struct text *t, struct err *err);
