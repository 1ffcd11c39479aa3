/* SPDX-License-Identifier: Apache-2.0 */
/* html_report: a report as one HTML page that needs nothing else: no network, no script, figures inline. For a desk, a
 * phone and paper. The same records give the same bytes. */
#pragma once
#include "harness/base/text.h"
#include "harness/report/render/report.h"

/* folder: of experiments, where the paper's claims are. */
MUST_CHECK bool html_report_html(const struct report *r, const char *folder, struct text *t, struct err *err);
bool html_report_is_table3(
    const struct report *r); /* the other kinds have their tables as text, and no comparison of clocks */
