/* SPDX-License-Identifier: Apache-2.0 */
/* html_report: a document as one HTML page that needs nothing else: no network, no script. For a desk, a phone, the
 * dark and paper. The same records and the same gnuplot give the same bytes. */
#pragma once
#include "harness/report/data/document.h"

/* Up to and with <body>, with the style of all pages. Ended by </body></html>. */
void html_report_head(struct text *t, const char *title);
/* plots: the folder of the scripts of figures. Without gnuplot the page says so. */
void html_report_print(const struct document *d, const char *plots, struct text *out);
